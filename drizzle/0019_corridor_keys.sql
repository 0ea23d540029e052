-- What belongs to a corridor says the corridor's id. The next migration does the rest, after
-- src/store/month/preparation.ts has done beside a serving version what takes time.
LOCK TABLE "observations" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
LOCK TABLE "offers", "provider_corridors", "changes" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "offers" DROP CONSTRAINT "offers_provider_corridor_id_provider_corridors_id_fk";--> statement-breakpoint
ALTER TABLE "offers" ADD COLUMN "corridor_id" integer;--> statement-breakpoint
ALTER TABLE "offers" ADD CONSTRAINT "offers_provider_corridor" FOREIGN KEY ("provider_corridor_id","corridor_id") REFERENCES "provider_corridors"("id","corridor_id") NOT VALID;
--> statement-breakpoint
CREATE FUNCTION say_offer_corridor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT corridor_id INTO NEW.corridor_id FROM public.provider_corridors
  WHERE id = NEW.provider_corridor_id;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- For versions that do not say the corridor of an offer, and for their backups.
CREATE TRIGGER offers_corridor BEFORE INSERT ON offers
  FOR EACH ROW WHEN (NEW.corridor_id IS NULL) EXECUTE FUNCTION say_offer_corridor();
--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "until" timestamp (3) with time zone;
--> statement-breakpoint
-- As before, with the least and the greatest effective_from of new observations.
CREATE FUNCTION log_change(
  change_kind text, change_ids bigint[], change_at timestamptz, unless_after bigint,
  change_since timestamptz, change_until timestamptz
) RETURNS bigint LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  logged bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('corridor changes'));
  IF unless_after IS NOT NULL AND EXISTS (
    SELECT FROM changes
    WHERE position > unless_after AND kind = change_kind AND (kind <> 'hour' OR at = change_at)
  ) THEN
    RETURN NULL;
  END IF;
  INSERT INTO changes (position, at, kind, ids, since, until)
  SELECT greatest((pg_current_wal_insert_lsn() - '0/0')::bigint, coalesce(max(position), 0) + 1),
    coalesce(change_at, clock_timestamp()), change_kind, change_ids, change_since, change_until
  FROM changes
  RETURNING position INTO logged;
  RETURN logged;
END
$$;
--> statement-breakpoint
-- For changes that are not of observations, and for versions that say no times.
CREATE OR REPLACE FUNCTION log_change(
  change_kind text, change_ids bigint[], change_at timestamptz, unless_after bigint DEFAULT NULL
) RETURNS bigint LANGUAGE sql
SET search_path = public, pg_temp AS $$
  SELECT log_change(change_kind, change_ids, change_at, unless_after, NULL, NULL)
$$;
--> statement-breakpoint
CREATE TABLE "long_prices" (
	"corridor_id" integer NOT NULL,
	"provider_corridor_id" integer NOT NULL,
	"offer_id" integer NOT NULL,
	"id" bigint NOT NULL,
	"effective_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "long_prices_pkey" PRIMARY KEY("id","corridor_id")
);
--> statement-breakpoint
CREATE INDEX "long_prices_end" ON "long_prices" USING btree ("corridor_id","valid_until","effective_from");
--> statement-breakpoint
CREATE TRIGGER long_prices_append_only BEFORE UPDATE OR TRUNCATE ON long_prices
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER long_prices_kept BEFORE DELETE ON long_prices
  FOR EACH STATEMENT WHEN (current_setting('corridor.pruning', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE FUNCTION note_long_price() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO long_prices
    (corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until)
  VALUES (NEW.corridor_id, NEW.provider_corridor_id, NEW.offer_id, NEW.id, NEW.effective_from,
    NEW.valid_until)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- 32 days (LONG_PRICE_DAYS), whatever the session's time zone. For versions that do not write them,
-- whose users have no rights on the new table either.
CREATE TRIGGER observations_long AFTER INSERT ON observations
  FOR EACH ROW WHEN (NEW.valid_until > NEW.effective_from + interval '768 hours')
  EXECUTE FUNCTION note_long_price();
