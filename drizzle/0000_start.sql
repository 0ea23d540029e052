CREATE TYPE "public"."currency_kind" AS ENUM('fiat', 'stablecoin');--> statement-breakpoint
CREATE TYPE "public"."currency_type" AS ENUM('source', 'target', 'both');--> statement-breakpoint
CREATE TYPE "public"."plan" AS ENUM('free', 'pro', 'enterprise');--> statement-breakpoint
CREATE TYPE "public"."provider_type" AS ENUM('central_bank', 'commercial_bank', 'non_bank_lp', 'imto', 'fintech_psp', 'crypto_venue', 'bureau_de_change', 'aggregator');--> statement-breakpoint
CREATE TYPE "public"."rate_type" AS ENUM('official', 'interbank', 'retail', 'p2p', 'parallel');--> statement-breakpoint
CREATE TYPE "public"."role" AS ENUM('member', 'treasury', 'admin');--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"plan" "plan" NOT NULL,
	"role" "role" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_email" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "corridors" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "corridors_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"source" text NOT NULL,
	"target" text NOT NULL,
	CONSTRAINT "corridors_pair" UNIQUE("source","target")
);
--> statement-breakpoint
CREATE TABLE "currencies" (
	"code" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"type" "currency_type" NOT NULL,
	"kind" "currency_kind" NOT NULL,
	"flag_url" text,
	"minor_units" smallint,
	"is_active" boolean NOT NULL,
	"sort_order" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"body_hash" char(64) NOT NULL,
	"inserted" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"hash" char(64) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "keys_hash" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "observations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "observations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"effective_from" timestamp (3) with time zone NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"corridor_id" integer NOT NULL,
	"provider_corridor_id" integer NOT NULL,
	"rate_type" "rate_type" NOT NULL,
	"rate" numeric NOT NULL,
	"fee" numeric,
	"fee_currency" text,
	"notes" text
);
--> statement-breakpoint
CREATE TABLE "provider_corridors" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "provider_corridors_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"corridor_id" integer NOT NULL,
	"provider_id" text NOT NULL,
	CONSTRAINT "provider_corridors_pair" UNIQUE("corridor_id","provider_id"),
	CONSTRAINT "provider_corridors_with_corridor" UNIQUE("id","corridor_id")
);
--> statement-breakpoint
CREATE TABLE "providers" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"logo_url" text,
	"website_url" text,
	"provider_type" "provider_type",
	"rate_type" "rate_type" NOT NULL,
	"region" text,
	"transfer_time" text,
	"payment_methods" text[],
	"is_active" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reference_rates" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reference_rates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"fetched_at" timestamp (3) with time zone NOT NULL,
	"snapshot_id" bigint NOT NULL,
	"currency" text NOT NULL,
	"per_usd" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reference_snapshots" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reference_snapshots_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"source" text NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"day" date NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "usage_day_account_id_key_id_pk" PRIMARY KEY("day","account_id","key_id")
);
--> statement-breakpoint
ALTER TABLE "corridors" ADD CONSTRAINT "corridors_source_currencies_code_fk" FOREIGN KEY ("source") REFERENCES "public"."currencies"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "corridors" ADD CONSTRAINT "corridors_target_currencies_code_fk" FOREIGN KEY ("target") REFERENCES "public"."currencies"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency" ADD CONSTRAINT "idempotency_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "observations" ADD CONSTRAINT "observations_provider_corridor" FOREIGN KEY ("provider_corridor_id","corridor_id") REFERENCES "public"."provider_corridors"("id","corridor_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_corridors" ADD CONSTRAINT "provider_corridors_corridor_id_corridors_id_fk" FOREIGN KEY ("corridor_id") REFERENCES "public"."corridors"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_corridors" ADD CONSTRAINT "provider_corridors_provider_id_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."providers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reference_rates" ADD CONSTRAINT "reference_rates_snapshot_id_reference_snapshots_id_fk" FOREIGN KEY ("snapshot_id") REFERENCES "public"."reference_snapshots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage" ADD CONSTRAINT "usage_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage" ADD CONSTRAINT "usage_key_id_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_created" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "keys_account" ON "keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "observations_as_of" ON "observations" USING btree ("provider_corridor_id","effective_from","id");--> statement-breakpoint
CREATE INDEX "observations_history" ON "observations" USING btree ("corridor_id","effective_from","id");--> statement-breakpoint
CREATE INDEX "reference_rates_as_of" ON "reference_rates" USING btree ("currency","fetched_at","id");--> statement-breakpoint
CREATE INDEX "reference_snapshots_as_of" ON "reference_snapshots" USING btree ("fetched_at","id");