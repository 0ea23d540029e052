CREATE TABLE "reference_feed_state" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"state" jsonb NOT NULL,
	CONSTRAINT "reference_feed_state_one_row" CHECK ("reference_feed_state"."is_only")
);
--> statement-breakpoint
ALTER TABLE "reference_snapshots" ADD COLUMN "upstream_at" timestamp (3) with time zone;