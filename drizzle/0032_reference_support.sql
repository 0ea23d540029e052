CREATE TYPE "public"."reference_basis" AS ENUM('consensus', 'single', 'disputed');--> statement-breakpoint
CREATE TABLE "reference_answers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reference_answers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"ran_at" timestamp (3) with time zone NOT NULL,
	"feed" text NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL,
	"upstream_at" timestamp (3) with time zone NOT NULL,
	"rates" jsonb NOT NULL,
	"unused" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reference_rates" ADD COLUMN "basis" "reference_basis";--> statement-breakpoint
ALTER TABLE "reference_rates" ADD COLUMN "dispersion_bps" double precision;--> statement-breakpoint
CREATE INDEX "reference_answers_ran" ON "reference_answers" USING btree ("ran_at");--> statement-breakpoint
CREATE TRIGGER reference_answers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON reference_answers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
