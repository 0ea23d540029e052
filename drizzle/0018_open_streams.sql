CREATE TABLE "open_streams" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"meter_id" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "open_streams" ADD CONSTRAINT "open_streams_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "open_streams" ADD CONSTRAINT "open_streams_meter_id_usage_meters_id_fk" FOREIGN KEY ("meter_id") REFERENCES "public"."usage_meters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "open_streams_account" ON "open_streams" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "open_streams_meter" ON "open_streams" USING btree ("meter_id");