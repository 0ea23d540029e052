ALTER TABLE "keys" ADD COLUMN "origins" text[];--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_origins" CHECK ("keys"."daily_budget" is not null or "keys"."origins" is null);