ALTER TABLE "keys" ADD COLUMN "last_four" text;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_last_four" CHECK ("keys"."last_four" ~ '^[0-9A-Za-z]{4}$');