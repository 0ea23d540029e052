CREATE TABLE "offers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"provider_corridor_id" integer NOT NULL,
	"key" text NOT NULL,
	"source_country" text,
	"target_country" text,
	"pay_in" text[],
	"pay_out" text[],
	"channel" text,
	"amount_min" numeric,
	"amount_max" numeric,
	"service" text,
	"made_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "offers_key" UNIQUE("provider_corridor_id","key")
);
--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "offer_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "fee_percent" numeric;--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "delivery_min" integer;--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "delivery_max" integer;--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "valid_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "offers" ADD CONSTRAINT "offers_provider_corridor_id_provider_corridors_id_fk" FOREIGN KEY ("provider_corridor_id") REFERENCES "public"."provider_corridors"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "observations_endless" ON "observations" USING btree ("provider_corridor_id","offer_id","effective_from","id") WHERE "observations"."valid_until" is null;--> statement-breakpoint
CREATE INDEX "observations_ending" ON "observations" USING btree ("provider_corridor_id","offer_id","effective_from","id","valid_until") WHERE "observations"."valid_until" is not null;--> statement-breakpoint
CREATE INDEX "observations_end" ON "observations" USING btree ("provider_corridor_id","offer_id","valid_until","effective_from") WHERE "observations"."valid_until" is not null;--> statement-breakpoint
CREATE TRIGGER offers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON offers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- A foreign key that leaves plain rows alone, which have no offer to look for.
CREATE FUNCTION require_offer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM public.offers
  WHERE id = NEW.offer_id AND provider_corridor_id = NEW.provider_corridor_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the series % has no offer %', NEW.provider_corridor_id, NEW.offer_id
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'observations_offer';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER observations_offer AFTER INSERT ON observations
  FOR EACH ROW WHEN (NEW.offer_id <> 0) EXECUTE FUNCTION require_offer();
--> statement-breakpoint
-- The observations of a series from before the age limit that later answers need: the last one of
-- each offer, and each older one that stays valid for longer than every newer one.
CREATE FUNCTION kept_observations(series integer, age_limit timestamptz)
RETURNS SETOF bigint LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH RECURSIVE known (offer_id) AS (
    SELECT 0 UNION ALL SELECT id FROM offers WHERE provider_corridor_id = series
  ), last AS (
    SELECT last_one.* FROM known CROSS JOIN LATERAL (
      SELECT * FROM (
        (SELECT id, offer_id, effective_from, valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = known.offer_id
          AND o.valid_until IS NULL AND o.effective_from < age_limit
        ORDER BY o.effective_from DESC, o.id DESC LIMIT 1)
        UNION ALL
        (SELECT id, offer_id, effective_from, valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = known.offer_id
          AND o.valid_until IS NOT NULL AND o.effective_from < age_limit
        ORDER BY o.effective_from DESC, o.id DESC LIMIT 1)
      ) either
      ORDER BY effective_from DESC, id DESC LIMIT 1
    ) last_one
  ), kept AS (
    SELECT * FROM last
    UNION ALL
    SELECT older.* FROM kept CROSS JOIN LATERAL (
      SELECT * FROM (
        (SELECT id, offer_id, effective_from, valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = kept.offer_id
          AND o.valid_until IS NULL
          AND (o.effective_from, o.id) < (kept.effective_from, kept.id)
        ORDER BY o.effective_from DESC, o.id DESC LIMIT 1)
        UNION ALL
        SELECT id, offer_id, effective_from, valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = kept.offer_id
          AND o.valid_until >= age_limit AND o.valid_until > kept.valid_until
          AND (o.effective_from, o.id) < (kept.effective_from, kept.id)
      ) either
      ORDER BY effective_from DESC, id DESC LIMIT 1
    ) older
    WHERE kept.valid_until IS NOT NULL
  )
  SELECT id FROM kept
$$;
--> statement-breakpoint
-- Deletes up to rows_max of the oldest observations of a series (a row of provider_corridors), and
-- notes them in its roll-ups. What later answers need stays.
CREATE OR REPLACE FUNCTION prune_observations(series integer, age_limit timestamptz, rows_max integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  doomed bigint[];
  corridor integer;
  deleted integer;
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT corridor_id INTO corridor FROM provider_corridors WHERE id = series;
  SELECT array_agg(id) INTO doomed FROM (
    SELECT id FROM observations
    WHERE provider_corridor_id = series AND effective_from < age_limit
      AND id NOT IN (SELECT kept_observations(series, age_limit))
    ORDER BY effective_from, id LIMIT rows_max
  ) oldest;
  PERFORM FROM rollups WHERE corridor_id = corridor AND hour IN (
    SELECT date_bin(interval '1 hour', effective_from, 'epoch') FROM observations
    WHERE id = ANY (doomed)
  ) ORDER BY hour FOR UPDATE;
  PERFORM set_config('corridor.pruning', 'on', true);
  WITH gone AS (
    DELETE FROM observations WHERE id = ANY (doomed) RETURNING effective_from
  ), counted AS (
    SELECT date_bin(interval '1 hour', effective_from, 'epoch') AS hour, count(*)::integer AS count
    FROM gone GROUP BY 1
  ), noted AS (
    UPDATE rollups SET pruned = rollups.pruned + counted.count FROM counted
    WHERE rollups.corridor_id = corridor AND rollups.hour = counted.hour
  )
  SELECT coalesce(sum(count), 0) INTO deleted FROM counted;
  PERFORM set_config('corridor.pruning', 'off', true);
  RETURN deleted;
END $$;
