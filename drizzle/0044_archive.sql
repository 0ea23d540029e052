CREATE TABLE "archived_months" (
	"month" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"announced_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"compacted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "observation_blocks" (
	"corridor_id" integer NOT NULL,
	"first" timestamp (3) with time zone NOT NULL,
	"last" timestamp (3) with time zone NOT NULL,
	"place" integer NOT NULL,
	"ids" "int8range" NOT NULL,
	"recorded" timestamp (3) with time zone NOT NULL,
	"id" bigint[] NOT NULL,
	"effective_from" timestamp (3) with time zone[] NOT NULL,
	"recorded_at" timestamp (3) with time zone[] NOT NULL,
	"provider_corridor_id" integer[] NOT NULL,
	"rate_type" "rate_type"[] NOT NULL,
	"rate" numeric[] NOT NULL,
	"fee" numeric[],
	"fee_currency" text[],
	"notes" text[],
	"evidence" "evidence"[],
	"offer_id" integer[] NOT NULL,
	"fee_percent" numeric[],
	"delivery_min" integer[],
	"delivery_max" integer[],
	"valid_until" timestamp (3) with time zone[],
	"recorded_by" integer[],
	"recorded_via" text[],
	CONSTRAINT "observation_blocks_pkey" PRIMARY KEY("corridor_id","first","place")
);
--> statement-breakpoint
CREATE INDEX "observation_blocks_ids" ON "observation_blocks" USING gist ("ids");
--> statement-breakpoint
-- Better than the default where the server has it.
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT attname FROM pg_attribute
    WHERE attrelid = 'observation_blocks'::regclass AND attnum > 0 AND attstorage = 'x'
  LOOP
    EXECUTE format('ALTER TABLE observation_blocks ALTER COLUMN %I SET COMPRESSION lz4', name);
  END LOOP;
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE 'the server has no lz4';
END $$;
--> statement-breakpoint
-- Holds the rows of a corridor and month until the end of the transaction: whoever records into an
-- archived month, moves its rows, or is about to compare with them, takes turns.
CREATE FUNCTION lock_archive(corridor integer, month timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(
    format('corridor archive %s %s', corridor, extract(epoch FROM month)), 0));
END $$;
--> statement-breakpoint
CREATE FUNCTION start_of_month(moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_trunc('month', moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;
--> statement-breakpoint
-- Moves the blocks of a corridor and month back to observations, and answers how many rows they had.
-- The rows stay held until the end of the transaction. Nothing is done for a month that is not
-- archived.
CREATE FUNCTION unarchive_observations(corridor integer, asked timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  moved integer;
BEGIN
  IF NOT EXISTS (SELECT FROM archived_months WHERE month = asked) THEN
    RETURN 0;
  END IF;
  PERFORM lock_archive(corridor, asked);
  SET LOCAL corridor.archiving = 'on';
  WITH gone AS (
    DELETE FROM observation_blocks b
    WHERE b.corridor_id = corridor AND b.first >= asked
      AND b.first < (asked AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'
    RETURNING *
  )
  INSERT INTO observations (corridor_id,
    id, effective_from, recorded_at, provider_corridor_id, rate_type, rate, fee, fee_currency,
    notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until, recorded_by,
    recorded_via)
  OVERRIDING SYSTEM VALUE
  SELECT corridor, u.* FROM gone b CROSS JOIN LATERAL unnest(
    b.id, b.effective_from, b.recorded_at, b.provider_corridor_id, b.rate_type, b.rate, b.fee,
    b.fee_currency, b.notes, b.evidence, b.offer_id, b.fee_percent, b.delivery_min, b.delivery_max,
    b.valid_until, b.recorded_by, b.recorded_via
  ) u;
  GET DIAGNOSTICS moved = ROW_COUNT;
  SET LOCAL corridor.archiving = 'off';
  RETURN moved;
END $$;
--> statement-breakpoint
-- As unarchive_observations, for everything of the corridors and months in which listed observations
-- lie.
CREATE FUNCTION unarchive_listed(asked bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM archived_months) THEN
    PERFORM unarchive_observations(corridor_id, month) FROM (
      SELECT DISTINCT b.corridor_id, start_of_month(b.first) AS month
      FROM observation_blocks b JOIN unnest(asked) one (id) ON b.ids @> one.id AND one.id = ANY (b.id)
      UNION
      SELECT o.corridor_id, start_of_month(o.effective_from) FROM observations o
      WHERE o.id = ANY (asked)
      ORDER BY 1, 2
    ) places;
  END IF;
END $$;
--> statement-breakpoint
-- Moves what is archived of a corridor and month back before a row is recorded there, so that the row
-- meets all that it may repeat or replace.
CREATE FUNCTION meet_archived() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM unarchive_observations(NEW.corridor_id, start_of_month(NEW.effective_from));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION observation_part(month timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'observation_months.' || to_char(month AT TIME ZONE 'UTC', '"m"YYYY_MM')
$$;
--> statement-breakpoint
-- Has everyone who records into a month meet what is archived of it, and readers look for it; false
-- where the month is not a part of observations. It holds the part for an instant.
CREATE FUNCTION announce_archive(asked timestamptz) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  part regclass := to_regclass(observation_part(asked));
BEGIN
  IF part IS NULL OR start_of_month(asked) <> asked THEN
    RETURN false;
  END IF;
  IF start_of_month(now()) <= asked THEN
    RAISE EXCEPTION 'the month is not over' USING ERRCODE = 'restrict_violation';
  END IF;
  INSERT INTO archived_months (month) VALUES (asked) ON CONFLICT DO NOTHING;
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = part AND tgname = 'observations_archived') THEN
    SET LOCAL lock_timeout = '1500ms';
    PERFORM note_archive(part);
  END IF;
  RETURN true;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_archive(part regclass) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER observations_archived BEFORE INSERT ON %s FOR EACH ROW
    WHEN (current_setting(''corridor.archiving'', true) IS DISTINCT FROM ''on'')
    EXECUTE FUNCTION meet_archived()', part);
END $$;
--> statement-breakpoint
-- Moves the observations of a corridor in an announced month to blocks, and answers how many. What
-- requests for later times need stays: the last row of each offer, and each older one that is valid
-- beyond the month and for longer than all newer ones; of what was known at any time after the month.
-- So do the first row, and those of the least and the greatest id.
CREATE FUNCTION archive_observations(corridor integer, asked timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET work_mem = '64MB' AS $$
DECLARE
  rows_max CONSTANT integer := 500;
  until timestamptz := (asked AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
  kept bigint[];
  moved bigint;
  gone bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM archived_months WHERE month = asked) THEN
    RAISE EXCEPTION 'the month is not announced' USING ERRCODE = 'restrict_violation';
  END IF;
  PERFORM lock_archive(corridor, asked);
  IF EXISTS (
    SELECT FROM observation_blocks b
    WHERE b.corridor_id = corridor AND b.first >= asked AND b.first < until
  ) THEN
    RETURN 0;
  END IF;
  WITH ours AS MATERIALIZED (
    SELECT o.id, o.provider_corridor_id, o.offer_id, o.effective_from, o.valid_until,
      coalesce((
        SELECT max(known_at) FROM late_commits late
        WHERE late.kind = 'observations' AND late.said_at = o.recorded_at
          AND (late.ids IS NULL OR o.id = ANY (late.ids))
      ), o.recorded_at) AS known_at
    FROM observations o
    WHERE o.corridor_id = corridor AND o.effective_from >= asked AND o.effective_from < until
  ), ranked AS (
    SELECT *, min(known_at) FILTER (WHERE valid_until IS NULL) OVER newer AS endless_at,
      min(known_at) FILTER (WHERE valid_until IS NOT NULL) OVER newer AS ending_at,
      greatest(known_at, until) AS upto
    FROM ours
    WINDOW newer AS (
      PARTITION BY provider_corridor_id, offer_id ORDER BY effective_from DESC, id DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  )
  SELECT array_agg(id) INTO kept FROM (
    SELECT id FROM ranked r
    WHERE (endless_at <= upto) IS NOT TRUE
      AND (valid_until < until AND ending_at <= upto) IS NOT TRUE
      AND (valid_until IS NULL OR valid_until < until OR NOT EXISTS (
        SELECT FROM ours newer
        WHERE newer.provider_corridor_id = r.provider_corridor_id AND newer.offer_id = r.offer_id
          AND newer.valid_until >= r.valid_until AND newer.known_at <= r.upto
          AND (newer.effective_from, newer.id) > (r.effective_from, r.id)
      ))
    UNION
    (SELECT id FROM ours ORDER BY effective_from, id LIMIT 1)
    UNION
    SELECT min(id) FROM ours
    UNION
    SELECT max(id) FROM ours
  ) needed;
  WITH numbered AS (
    SELECT o.*, row_number() OVER (ORDER BY o.effective_from, o.id) AS nth FROM observations o
    WHERE o.corridor_id = corridor AND o.effective_from >= asked AND o.effective_from < until
      AND NOT EXISTS (SELECT FROM unnest(kept) needed (id) WHERE needed.id = o.id)
  ), made AS (
    INSERT INTO observation_blocks (corridor_id, first, last, place, ids, recorded,
      id, effective_from, recorded_at, provider_corridor_id, rate_type, rate, fee, fee_currency,
      notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until, recorded_by,
      recorded_via)
    SELECT corridor, min(effective_from), max(effective_from), (nth - 1) / rows_max,
      int8range(min(id), max(id), '[]'), min(recorded_at),
      array_agg(id ORDER BY nth), array_agg(effective_from ORDER BY nth),
      array_agg(recorded_at ORDER BY nth), array_agg(provider_corridor_id ORDER BY nth),
      array_agg(rate_type ORDER BY nth), array_agg(rate ORDER BY nth),
      CASE WHEN count(fee) > 0 THEN array_agg(fee ORDER BY nth) END,
      CASE WHEN count(fee_currency) > 0 THEN array_agg(fee_currency ORDER BY nth) END,
      CASE WHEN count(notes) > 0 THEN array_agg(notes ORDER BY nth) END,
      CASE WHEN count(evidence) > 0 THEN array_agg(evidence ORDER BY nth) END,
      array_agg(offer_id ORDER BY nth),
      CASE WHEN count(fee_percent) > 0 THEN array_agg(fee_percent ORDER BY nth) END,
      CASE WHEN count(delivery_min) > 0 THEN array_agg(delivery_min ORDER BY nth) END,
      CASE WHEN count(delivery_max) > 0 THEN array_agg(delivery_max ORDER BY nth) END,
      CASE WHEN count(valid_until) > 0 THEN array_agg(valid_until ORDER BY nth) END,
      CASE WHEN count(recorded_by) > 0 THEN array_agg(recorded_by ORDER BY nth) END,
      CASE WHEN count(recorded_via) > 0 THEN array_agg(recorded_via ORDER BY nth) END
    FROM numbered GROUP BY (nth - 1) / rows_max
    RETURNING cardinality(id) AS count
  )
  SELECT coalesce(sum(count), 0) INTO moved FROM made;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM observations o
  WHERE o.corridor_id = corridor AND o.effective_from >= asked AND o.effective_from < until
    AND NOT EXISTS (SELECT FROM unnest(kept) needed (id) WHERE needed.id = o.id);
  GET DIAGNOSTICS gone = ROW_COUNT;
  SET LOCAL corridor.pruning = 'off';
  IF gone <> moved THEN
    RAISE EXCEPTION '% observations were recorded or withdrawn meanwhile', gone - moved
      USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN moved;
END $$;
--> statement-breakpoint
-- Gives back the space of the rows that left a month: the rest moves to a new part. Whoever records
-- into the month waits, everyone else for an instant at the end. It fails with lock_not_available
-- where others are too busy with the table.
CREATE FUNCTION compact_observation_month(asked timestamptz) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
  tries_max CONSTANT integer := 8;
  part regclass := to_regclass(observation_part(asked));
BEGIN
  SET LOCAL lock_timeout = '1500ms';
  LOCK TABLE ONLY observations IN SHARE UPDATE EXCLUSIVE MODE;
  EXECUTE format('LOCK TABLE %s IN SHARE MODE', part);
  CREATE TABLE observation_months.compacted
    (LIKE observations INCLUDING DEFAULTS INCLUDING INDEXES INCLUDING STORAGE);
  EXECUTE format('INSERT INTO observation_months.compacted (id, corridor_id,
    effective_from, recorded_at, provider_corridor_id, rate_type, rate, fee, fee_currency, notes,
    evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until, recorded_by,
    recorded_via)
    SELECT id, corridor_id,
    effective_from, recorded_at, provider_corridor_id, rate_type, rate, fee, fee_currency, notes,
    evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until, recorded_by,
    recorded_via FROM %s', part);
  REINDEX TABLE observation_months.compacted;
  SET LOCAL lock_timeout = '250ms';
  FOR tries IN 1 .. tries_max LOOP
    BEGIN
      LOCK TABLE ONLY observations IN ACCESS EXCLUSIVE MODE;
      LOCK TABLE provider_corridors IN ACCESS EXCLUSIVE MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      -- Whoever waits to record into the month holds the table, and would wait for ever.
      IF tries = tries_max OR EXISTS (
        SELECT FROM pg_locks WHERE relation = part AND NOT granted
      ) THEN
        RAISE;
      END IF;
      PERFORM pg_sleep(0.25);
    END;
  END LOOP;
  EXECUTE format('ALTER TABLE observations DETACH PARTITION %s', part);
  EXECUTE format('DROP TABLE %s', part);
  EXECUTE format('ALTER TABLE observation_months.compacted RENAME TO %I',
    split_part(observation_part(asked), '.', 2));
  part := to_regclass(observation_part(asked));
  EXECUTE format('ALTER TABLE observations ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
    part, asked, asked + interval '1 month');
  PERFORM keep_observations(part);
  PERFORM note_archive(part);
  UPDATE archived_months SET compacted_at = now() WHERE month = asked;
END $$;
--> statement-breakpoint
-- Ends the archive of a month of which no corridor has blocks; false where one has.
CREATE FUNCTION forget_archive(asked timestamptz) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  part regclass := to_regclass(observation_part(asked));
BEGIN
  SET LOCAL lock_timeout = '1500ms';
  IF part IS NOT NULL THEN
    EXECUTE format('DROP TRIGGER IF EXISTS observations_archived ON %s', part);
  END IF;
  IF EXISTS (
    SELECT FROM corridors c JOIN observation_blocks b ON b.corridor_id = c.id AND b.first >= asked
      AND b.first < (asked AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'
  ) THEN
    RAISE EXCEPTION 'blocks of the month were made meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  DELETE FROM archived_months WHERE month = asked;
  RETURN true;
END $$;
--> statement-breakpoint
-- Long prices in blocks too, of which statements find the rows that were known.
CREATE OR REPLACE VIEW known.long_prices AS
SELECT corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until FROM (
  SELECT corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
  FROM public.long_prices
  UNION ALL
  SELECT corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
  FROM public.withdrawals
) long
WHERE valid_until IS NOT NULL AND (EXISTS (
  SELECT FROM known.observations o
  WHERE o.id = long.id AND o.corridor_id = long.corridor_id
    AND o.effective_from = long.effective_from
) OR EXISTS (
  SELECT FROM public.observation_blocks b
  WHERE b.corridor_id = long.corridor_id AND b.first <= long.effective_from
    AND b.first > long.effective_from - interval '31 days' AND b.last >= long.effective_from
    AND long.id = ANY (b.id)
));
--> statement-breakpoint
REVOKE ALL ON FUNCTION announce_archive, archive_observations, compact_observation_month,
  forget_archive, note_archive FROM PUBLIC;
--> statement-breakpoint
-- Whoever may record may read blocks, and whoever may prune may archive.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_class, aclexplode(relacl) acl
    WHERE oid = 'observations'::regclass AND acl.privilege_type = 'INSERT'
      AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT ON archived_months, observation_blocks TO %s', role.name);
  END LOOP;
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_proc, aclexplode(proacl) acl
    WHERE oid = 'prune_observations(integer, timestamptz, integer)'::regprocedure
      AND acl.grantee NOT IN (0, proowner)
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION announce_archive, archive_observations,
      compact_observation_month, forget_archive TO %s', role.name);
  END LOOP;
END $$;
