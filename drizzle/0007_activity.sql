CREATE TABLE "currency_activity" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "currency_activity_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"currency" text NOT NULL,
	"is_active" boolean NOT NULL,
	"since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "provider_activity" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "provider_activity_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"provider_id" text NOT NULL,
	"is_active" boolean NOT NULL,
	"since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "currency_activity" ADD CONSTRAINT "currency_activity_currency_currencies_code_fk" FOREIGN KEY ("currency") REFERENCES "public"."currencies"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_activity" ADD CONSTRAINT "provider_activity_provider_id_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."providers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "currency_activity_since" ON "currency_activity" USING btree ("currency","since","id");--> statement-breakpoint
CREATE INDEX "provider_activity_since" ON "provider_activity" USING btree ("provider_id","since","id");--> statement-breakpoint
CREATE TRIGGER currency_activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON currency_activity
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER provider_activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON provider_activity
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- A clock that is set back does not change the order of changes: none is dated before the last.
CREATE FUNCTION note_currency_activity() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO currency_activity (currency, is_active, since)
  SELECT NEW.code, NEW.is_active,
    greatest(date_trunc('milliseconds', clock_timestamp()), max(since))
  FROM currency_activity WHERE currency = NEW.code;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_provider_activity() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO provider_activity (provider_id, is_active, since)
  SELECT NEW.id, NEW.is_active,
    greatest(date_trunc('milliseconds', clock_timestamp()), max(since))
  FROM provider_activity WHERE provider_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER currencies_activity AFTER UPDATE OF is_active ON currencies
  FOR EACH ROW WHEN (OLD.is_active IS DISTINCT FROM NEW.is_active)
  EXECUTE FUNCTION note_currency_activity();
--> statement-breakpoint
CREATE TRIGGER providers_activity AFTER UPDATE OF is_active ON providers
  FOR EACH ROW WHEN (OLD.is_active IS DISTINCT FROM NEW.is_active)
  EXECUTE FUNCTION note_provider_activity();
--> statement-breakpoint
-- The hours in which a provider quoted that is not active now, and so was not before there was a
-- history of it. They are found before roll-ups are changed, so that these can be read meanwhile.
LOCK TABLE observations IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TEMPORARY TABLE inactive_hours ON COMMIT DROP AS
SELECT o.corridor_id, date_bin(interval '1 hour', o.effective_from, 'epoch') AS hour,
  max(o.rate) FILTER (WHERE p.is_active) AS counted_best
FROM observations o
JOIN provider_corridors s ON s.id = o.provider_corridor_id
JOIN providers p ON p.id = s.provider_id
WHERE o.rate_type IN ('interbank', 'retail', 'p2p') AND o.corridor_id IN (
  SELECT corridor_id FROM provider_corridors
  JOIN providers ON providers.id = provider_id WHERE NOT providers.is_active
)
GROUP BY 1, 2 HAVING bool_or(NOT p.is_active);
--> statement-breakpoint
ALTER TABLE "rollups" ADD COLUMN "counted_best" numeric;--> statement-breakpoint
UPDATE rollups SET counted_best = coalesce(inactive_hours.counted_best, 0)
FROM inactive_hours
WHERE rollups.corridor_id = inactive_hours.corridor_id AND rollups.hour = inactive_hours.hour
  AND rollups.pruned = 0
  AND rollups.best_rate IS DISTINCT FROM inactive_hours.counted_best;
