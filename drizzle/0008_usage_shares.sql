CREATE TABLE "usage_meters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slot" smallint NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "usage_meters_slot" UNIQUE("slot")
);
--> statement-breakpoint
CREATE TABLE "usage_shares" (
	"day" date NOT NULL,
	"account_id" uuid NOT NULL,
	"meter_id" uuid NOT NULL,
	"units" integer NOT NULL,
	CONSTRAINT "usage_shares_day_account_id_meter_id_pk" PRIMARY KEY("day","account_id","meter_id")
);
--> statement-breakpoint
ALTER TABLE "usage_shares" ADD CONSTRAINT "usage_shares_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_shares" ADD CONSTRAINT "usage_shares_meter_id_usage_meters_id_fk" FOREIGN KEY ("meter_id") REFERENCES "public"."usage_meters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "usage_shares_meter" ON "usage_shares" USING btree ("meter_id");