CREATE TYPE "public"."alert_field" AS ENUM('best', 'best_current_net', 'mid', 'total_pct', 'stale');--> statement-breakpoint
CREATE TYPE "public"."alert_op" AS ENUM('above', 'below', 'moves_pct');--> statement-breakpoint
CREATE TYPE "public"."alert_status" AS ENUM('active', 'paused', 'ended', 'failing');--> statement-breakpoint
CREATE TYPE "public"."alert_delivery_kind" AS ENUM('fired', 'test', 'ended');--> statement-breakpoint
CREATE TYPE "public"."alert_delivery_status" AS ENUM('waiting', 'done', 'given_up');--> statement-breakpoint
CREATE TABLE "alert_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"alert_id" uuid NOT NULL,
	"kind" "alert_delivery_kind" NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"first_failed_at" timestamp (3) with time zone,
	"status" "alert_delivery_status" DEFAULT 'waiting' NOT NULL,
	"last_status" integer,
	"last_error" text,
	"last_ms" integer,
	"done_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"name" text,
	"source" text NOT NULL,
	"target" text NOT NULL,
	"amount" numeric,
	"field" "alert_field" NOT NULL,
	"op" "alert_op",
	"value" numeric,
	"period_ms" bigint,
	"webhook_url" text,
	"is_once" boolean NOT NULL,
	"status" "alert_status" DEFAULT 'active' NOT NULL,
	"reason" text,
	"revision" integer DEFAULT 0 NOT NULL,
	"is_true" boolean NOT NULL,
	"judged_position" bigint NOT NULL,
	"base" double precision,
	"last_value" double precision,
	"fired_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"secret" text,
	"old_secret" text,
	"old_secret_ends_at" timestamp (3) with time zone,
	CONSTRAINT "alerts_amount" CHECK ("alerts"."amount" > 0),
	CONSTRAINT "alerts_comparison" CHECK (("alerts"."op" is null) = ("alerts"."field" = 'stale')),
	CONSTRAINT "alerts_value" CHECK (("alerts"."value" is null) = ("alerts"."op" is null)),
	CONSTRAINT "alerts_secret" CHECK (("alerts"."secret" is null) = ("alerts"."webhook_url" is null))
);
--> statement-breakpoint
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_alert_id_alerts_id_fk" FOREIGN KEY ("alert_id") REFERENCES "public"."alerts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_source_currencies_code_fk" FOREIGN KEY ("source") REFERENCES "public"."currencies"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_target_currencies_code_fk" FOREIGN KEY ("target") REFERENCES "public"."currencies"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_deliveries_due" ON "alert_deliveries" USING btree ("next_at") WHERE "alert_deliveries"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "alert_deliveries_alert" ON "alert_deliveries" USING btree ("alert_id","created_at");--> statement-breakpoint
CREATE INDEX "alert_deliveries_created" ON "alert_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "alerts_account" ON "alerts" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "alerts_active" ON "alerts" USING btree ("created_at","id") WHERE "alerts"."status" = 'active';--> statement-breakpoint
CREATE INDEX "alerts_webhook" ON "alerts" USING btree ("webhook_url");