-- Parts of observations by month of effective_from, in a schema of their own: nobody needs rights on
-- them, and lists of our tables do not change. What was recorded before becomes the part "early",
-- which ends ahead of it and of now; "late" is behind the last month. So there is room for any
-- moment, and rows of the versions before go on being recorded.
CREATE SCHEMA "observation_months";
--> statement-breakpoint
SET LOCAL timezone = 'UTC';
--> statement-breakpoint
LOCK TABLE "observations", "offers", "provider_corridors" IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
ALTER TABLE "offers" DROP CONSTRAINT "offers_pkey", DROP CONSTRAINT "offers_key";--> statement-breakpoint
ALTER TABLE "offers" ALTER COLUMN "corridor_id" SET NOT NULL,
  ADD CONSTRAINT "offers_pkey" PRIMARY KEY("id","corridor_id"),
  ADD CONSTRAINT "offers_key" UNIQUE("provider_corridor_id","key","corridor_id");--> statement-breakpoint
ALTER TABLE "offers" VALIDATE CONSTRAINT "offers_provider_corridor";--> statement-breakpoint
ALTER TABLE "observations" RENAME TO "early";
--> statement-breakpoint
-- Made before where there are many rows.
CREATE UNIQUE INDEX IF NOT EXISTS "observations_place" ON "early" ("id", "corridor_id", "effective_from");
--> statement-breakpoint
DO $$
DECLARE
  made record;
  early_end timestamptz;
  last_id bigint;
BEGIN
  FOR made IN SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = 'early'::regclass
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', made.name,
      regexp_replace(made.name, '^observations_', 'early_'));
  END LOOP;
  ALTER TABLE early DROP CONSTRAINT early_pkey,
    ADD CONSTRAINT early_pkey PRIMARY KEY USING INDEX early_place;
  DROP TRIGGER observations_offer ON early;
  DROP TRIGGER observations_long ON early;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO last_id FROM observations_id_seq;
  ALTER TABLE early ALTER COLUMN id DROP IDENTITY;
  CREATE TABLE observations (
    id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME observations_id_seq),
    effective_from timestamp (3) with time zone NOT NULL,
    recorded_at timestamp (3) with time zone DEFAULT now() NOT NULL,
    corridor_id integer NOT NULL,
    provider_corridor_id integer NOT NULL,
    rate_type rate_type NOT NULL,
    rate numeric NOT NULL,
    fee numeric,
    fee_currency text,
    notes text,
    evidence evidence,
    offer_id integer DEFAULT 0 NOT NULL,
    fee_percent numeric,
    delivery_min integer,
    delivery_max integer,
    valid_until timestamp (3) with time zone,
    CONSTRAINT observations_pkey PRIMARY KEY (id, corridor_id, effective_from),
    CONSTRAINT observations_provider_corridor FOREIGN KEY (provider_corridor_id, corridor_id)
      REFERENCES provider_corridors (id, corridor_id)
  ) PARTITION BY RANGE (effective_from);
  PERFORM setval('observations_id_seq', greatest(last_id, 1), last_id > 0);
  SELECT (regexp_match(pg_get_constraintdef(oid), '''([^'']+)'''))[1] INTO early_end
    FROM pg_constraint WHERE conrelid = 'early'::regclass AND conname = 'observations_end';
  IF early_end IS NULL THEN
    SELECT date_trunc('month', greatest(now(), max(effective_from))) + interval '2 months'
      INTO early_end FROM early HAVING count(*) > 0;
    early_end := coalesce(early_end, date_trunc('month', now()));
  END IF;
  ALTER TABLE early SET SCHEMA observation_months;
  EXECUTE format('ALTER TABLE observations ATTACH PARTITION observation_months.early
    FOR VALUES FROM (MINVALUE) TO (%L)', early_end);
  ALTER TABLE observation_months.early DROP CONSTRAINT IF EXISTS observations_end;
  EXECUTE format('CREATE TABLE observation_months.late PARTITION OF observations
    FOR VALUES FROM (%L) TO (MAXVALUE)', early_end);
END $$;
--> statement-breakpoint
CREATE INDEX "observations_as_of" ON "observations" USING btree ("provider_corridor_id","effective_from","id");--> statement-breakpoint
CREATE INDEX "observations_history" ON "observations" USING btree ("corridor_id","effective_from","id");--> statement-breakpoint
CREATE INDEX "observations_endless" ON "observations" USING btree ("provider_corridor_id","offer_id","effective_from","id") WHERE "observations"."valid_until" is null;--> statement-breakpoint
CREATE INDEX "observations_ending" ON "observations" USING btree ("provider_corridor_id","offer_id","effective_from","id","valid_until") WHERE "observations"."valid_until" is not null;--> statement-breakpoint
CREATE INDEX "observations_end" ON "observations" USING btree ("provider_corridor_id","offer_id","valid_until","effective_from") WHERE "observations"."valid_until" is not null;--> statement-breakpoint
CREATE INDEX "observations_standing" ON "observations" USING gist (box(
  point("corridor_id"::float8, (extract(epoch from "effective_from" at time zone 'UTC') * 1000)::float8),
  point("corridor_id"::float8, (extract(epoch from "valid_until" at time zone 'UTC') * 1000)::float8)
)) WHERE "observations"."valid_until" is not null;
--> statement-breakpoint
CREATE TRIGGER observations_append_only BEFORE UPDATE OR TRUNCATE ON observations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER observations_kept BEFORE DELETE ON observations
  FOR EACH STATEMENT WHEN (current_setting('corridor.pruning', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER observations_offer AFTER INSERT ON observations
  FOR EACH ROW WHEN (NEW.offer_id <> 0) EXECUTE FUNCTION require_offer();
--> statement-breakpoint
CREATE TRIGGER observations_long AFTER INSERT ON observations
  FOR EACH ROW WHEN (NEW.valid_until > NEW.effective_from + interval '768 hours')
  EXECUTE FUNCTION note_long_price();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION require_offer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM public.offers
  WHERE id = NEW.offer_id AND corridor_id = NEW.corridor_id
    AND provider_corridor_id = NEW.provider_corridor_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the series % has no offer %', NEW.provider_corridor_id, NEW.offer_id
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'observations_offer';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The triggers of whole statements, which a part does not take from the table that it is a part of.
CREATE FUNCTION keep_observations(part regclass) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER observations_append_only BEFORE UPDATE ON %s
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', part);
  EXECUTE format('CREATE TRIGGER observations_whole BEFORE TRUNCATE ON %s
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', part);
  EXECUTE format('CREATE TRIGGER observations_kept BEFORE DELETE ON %s
    FOR EACH STATEMENT WHEN (current_setting(''corridor.pruning'', true) IS DISTINCT FROM ''on'')
    EXECUTE FUNCTION refuse_change()', part);
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION keep_observations(regclass) FROM PUBLIC;
--> statement-breakpoint
SELECT keep_observations('observation_months.late');
--> statement-breakpoint
-- The end of "early" and the start of "late"; the months lie between.
CREATE FUNCTION observation_months(OUT since timestamptz, OUT until timestamptz) LANGUAGE sql
STABLE SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
  SELECT
    (SELECT (regexp_match(pg_get_expr(relpartbound, oid), 'TO \(''([^'']+)'))[1]::timestamptz
      FROM pg_class WHERE oid = to_regclass('observation_months.early')),
    (SELECT (regexp_match(pg_get_expr(relpartbound, oid), 'FROM \(''([^'']+)'))[1]::timestamptz
      FROM pg_class WHERE oid = to_regclass('observation_months.late'))
$$;
--> statement-breakpoint
-- Makes the months from one moment to another, both starts of months, while nothing else has them.
CREATE FUNCTION add_observation_months(first timestamptz, last timestamptz) RETURNS integer
LANGUAGE plpgsql
SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
  month timestamptz := first;
  part text;
  made integer := 0;
BEGIN
  WHILE month < last LOOP
    part := 'observation_months.' || to_char(month, '"m"YYYY_MM');
    EXECUTE format('CREATE TABLE %s PARTITION OF observations FOR VALUES FROM (%L) TO (%L)',
      part, month, month + interval '1 month');
    PERFORM keep_observations(part::regclass);
    month := month + interval '1 month';
    made := made + 1;
  END LOOP;
  RETURN made;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION add_observation_months(timestamptz, timestamptz) FROM PUBLIC;
--> statement-breakpoint
-- Makes months up to a moment, at most four months ahead of now, and answers how many. Nothing is
-- changed where there are as many already. Whoever serves may call it, without being the owner.
CREATE FUNCTION make_observation_months(asked_until timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
  goal timestamptz := least(asked_until, now() + interval '4 months');
  first timestamptz;
  made integer;
BEGIN
  IF (SELECT until FROM observation_months()) >= goal THEN
    RETURN 0;
  END IF;
  LOCK TABLE observations, provider_corridors IN ACCESS EXCLUSIVE MODE;
  SELECT until INTO first FROM observation_months();
  IF first >= goal THEN
    RETURN 0;
  END IF;
  goal := date_trunc('month', goal - interval '1 microsecond') + interval '1 month';
  ALTER TABLE observations DETACH PARTITION observation_months.late;
  made := add_observation_months(first, goal);
  SET LOCAL corridor.pruning = 'on';
  WITH moved AS (
    DELETE FROM observation_months.late WHERE effective_from < goal RETURNING *
  )
  INSERT INTO observations OVERRIDING SYSTEM VALUE SELECT * FROM moved;
  SET LOCAL corridor.pruning = 'off';
  EXECUTE format('ALTER TABLE observations ATTACH PARTITION observation_months.late
    FOR VALUES FROM (%L) TO (MAXVALUE)', goal);
  RETURN made;
END $$;
--> statement-breakpoint
-- Makes the months back to a moment, at most ten years ago, while "early" is small and holds a few
-- rows of them, which move; answers how many it made.
CREATE FUNCTION make_earlier_months(asked_since timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
  rows_max CONSTANT integer := 20000;
  bytes_max CONSTANT integer := 33554432;
  last timestamptz;
  first timestamptz;
  held integer;
  made integer;
BEGIN
  SELECT since INTO last FROM observation_months();
  first := date_trunc('month', greatest(asked_since, now() - interval '10 years'));
  IF first >= last OR pg_relation_size('observation_months.early') > bytes_max THEN
    RETURN 0;
  END IF;
  SELECT count(*) INTO held FROM (
    SELECT 1 FROM observation_months.early WHERE effective_from >= first LIMIT rows_max + 1
  ) few;
  IF held > rows_max THEN
    RETURN 0;
  END IF;
  LOCK TABLE observations, provider_corridors IN ACCESS EXCLUSIVE MODE;
  IF (SELECT since FROM observation_months()) <> last THEN
    RETURN 0;
  END IF;
  ALTER TABLE observations DETACH PARTITION observation_months.early;
  made := add_observation_months(first, last);
  SET LOCAL corridor.pruning = 'on';
  WITH moved AS (
    DELETE FROM observation_months.early WHERE effective_from >= first RETURNING *
  )
  INSERT INTO observations OVERRIDING SYSTEM VALUE SELECT * FROM moved;
  SET LOCAL corridor.pruning = 'off';
  EXECUTE format('ALTER TABLE observations ATTACH PARTITION observation_months.early
    FOR VALUES FROM (MINVALUE) TO (%L)', first);
  RETURN made;
END $$;
--> statement-breakpoint
-- The statistics of all parts together, which the server does not renew by itself.
CREATE FUNCTION analyze_observations() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE CASE WHEN current_setting('server_version_num')::integer >= 180000
    THEN 'ANALYZE ONLY observations' ELSE 'ANALYZE observations' END;
END $$;
--> statement-breakpoint
-- An empty database begins with the present month and two more.
DO $$
BEGIN
  IF (SELECT since <= now() FROM observation_months()) THEN
    PERFORM make_observation_months(date_trunc('month', now()) + interval '2 months 1 second');
  END IF;
END $$;
--> statement-breakpoint
-- Deletes up to rows_max of the oldest observations of a series (a row of provider_corridors), and
-- notes them in its roll-ups. What later answers need stays. Ids are looked for in the parts that may
-- hold them.
CREATE OR REPLACE FUNCTION prune_observations(series integer, age_limit timestamptz, rows_max integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  doomed bigint[];
  since timestamptz;
  upto timestamptz;
  corridor integer;
  deleted integer;
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT corridor_id INTO corridor FROM provider_corridors WHERE id = series;
  SELECT array_agg(id), min(effective_from), max(effective_from) INTO doomed, since, upto FROM (
    SELECT id, effective_from FROM observations
    WHERE provider_corridor_id = series AND effective_from < age_limit
      AND id NOT IN (SELECT kept_observations(series, age_limit))
    ORDER BY effective_from, id LIMIT rows_max
  ) oldest;
  PERFORM FROM rollups WHERE corridor_id = corridor AND hour IN (
    SELECT date_bin(interval '1 hour', effective_from, 'epoch') FROM observations
    WHERE id = ANY (doomed) AND corridor_id = corridor AND effective_from BETWEEN since AND upto
  ) ORDER BY hour FOR UPDATE;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM long_prices WHERE id = ANY (doomed) AND corridor_id = corridor;
  WITH gone AS (
    DELETE FROM observations
    WHERE id = ANY (doomed) AND corridor_id = corridor AND effective_from BETWEEN since AND upto
    RETURNING effective_from
  ), counted AS (
    SELECT date_bin(interval '1 hour', effective_from, 'epoch') AS hour, count(*)::integer AS count
    FROM gone GROUP BY 1
  ), noted AS (
    UPDATE rollups SET pruned = rollups.pruned + counted.count FROM counted
    WHERE rollups.corridor_id = corridor AND rollups.hour = counted.hour
  )
  SELECT coalesce(sum(count), 0) INTO deleted FROM counted;
  SET LOCAL corridor.pruning = 'off';
  RETURN deleted;
END $$;
