ALTER TABLE "keys" ADD COLUMN "daily_budget" integer;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_daily_budget" CHECK ("keys"."daily_budget" > 0);