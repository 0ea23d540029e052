-- The columns of observations but the corridor, each in a form, as a list: the functions below copy
-- whole rows, also those of columns that later migrations add.
CREATE FUNCTION archived_columns(form text) RETURNS text LANGUAGE sql STABLE
SET search_path = public, pg_temp AS $$
  SELECT string_agg(format(form, quote_ident(attname)), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = 'observations'::regclass AND attnum > 0 AND NOT attisdropped
    AND attname <> 'corridor_id'
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION archived_columns FROM PUBLIC;
--> statement-breakpoint
-- Moves the blocks of a corridor and month back to observations, and answers how many rows they had.
-- The rows stay held until the end of the transaction. Nothing is done for a month that is not
-- archived.
CREATE OR REPLACE FUNCTION unarchive_observations(corridor integer, asked timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  moved integer;
BEGIN
  IF NOT EXISTS (SELECT FROM archived_months WHERE month = asked) THEN
    RETURN 0;
  END IF;
  PERFORM lock_archive(corridor, asked);
  SET LOCAL corridor.archiving = 'on';
  EXECUTE format('WITH gone AS (
      DELETE FROM observation_blocks b
      WHERE b.corridor_id = $1 AND b.first >= $2
        AND b.first < ($2 AT TIME ZONE ''UTC'' + interval ''1 month'') AT TIME ZONE ''UTC''
      RETURNING *
    )
    INSERT INTO observations (corridor_id, %s) OVERRIDING SYSTEM VALUE
    SELECT $1, u.* FROM gone b CROSS JOIN LATERAL unnest(%s) u',
    archived_columns('%s'), archived_columns('b.%s')) USING corridor, asked;
  GET DIAGNOSTICS moved = ROW_COUNT;
  SET LOCAL corridor.archiving = 'off';
  RETURN moved;
END $$;
--> statement-breakpoint
-- Moves the observations of a corridor in an announced month to blocks, and answers how many. What
-- requests for later times need stays: the last row of each offer, and each older one that is valid
-- beyond the month and for longer than all newer ones; of what was known at any time after the month.
-- So do the first row, and those of the least and the greatest id.
CREATE OR REPLACE FUNCTION archive_observations(corridor integer, asked timestamptz) RETURNS integer
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
  EXECUTE format('WITH numbered AS (
      SELECT o.*, row_number() OVER (ORDER BY o.effective_from, o.id) AS nth FROM observations o
      WHERE o.corridor_id = $1 AND o.effective_from >= $2 AND o.effective_from < $3
        AND NOT EXISTS (SELECT FROM unnest($4) needed (id) WHERE needed.id = o.id)
    ), made AS (
      INSERT INTO observation_blocks (corridor_id, first, last, place, ids, recorded, %s)
      SELECT $1, min(effective_from), max(effective_from), (nth - 1) / $5,
        int8range(min(id), max(id), ''[]''), min(recorded_at), %s
      FROM numbered GROUP BY (nth - 1) / $5
      RETURNING cardinality(id) AS count
    )
    SELECT coalesce(sum(count), 0) FROM made',
    archived_columns('%s'),
    archived_columns('CASE WHEN count(%1$s) > 0 THEN array_agg(%1$s ORDER BY nth) END')
  ) INTO moved USING corridor, asked, until, kept, rows_max;
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
CREATE OR REPLACE FUNCTION compact_observation_month(asked timestamptz) RETURNS void LANGUAGE plpgsql
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
  EXECUTE format('INSERT INTO observation_months.compacted (corridor_id, %1$s)
    SELECT corridor_id, %1$s FROM %2$s', archived_columns('%s'), part);
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
