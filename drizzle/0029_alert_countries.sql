ALTER TABLE "alert_deliveries" ADD COLUMN "last_reply" text;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "source_country" text;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "target_country" text;