CREATE TYPE "public"."evidence" AS ENUM('observed', 'derived', 'indicative');--> statement-breakpoint
ALTER TABLE "currencies" ADD COLUMN "peg_to" text;--> statement-breakpoint
ALTER TABLE "currencies" ADD COLUMN "peg_rate" numeric;--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "evidence" "evidence";--> statement-breakpoint
ALTER TABLE "currencies" ADD CONSTRAINT "currencies_peg" CHECK (("currencies"."peg_to" is null) = ("currencies"."peg_rate" is null));--> statement-breakpoint
ALTER TABLE "currencies" ADD CONSTRAINT "currencies_peg_rate" CHECK ("currencies"."peg_rate" > 0);