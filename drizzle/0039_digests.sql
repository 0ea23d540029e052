ALTER TYPE "public"."alert_field" ADD VALUE 'monthly';--> statement-breakpoint
ALTER TABLE "alerts" DROP CONSTRAINT "alerts_comparison";--> statement-breakpoint
ALTER TABLE "portal_users" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_comparison" CHECK (("alerts"."op" is null) = ("alerts"."field"::text in ('stale', 'monthly')));