CREATE TABLE "prunings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prunings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"before" timestamp (3) with time zone NOT NULL,
	"observations" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rollups" ADD COLUMN "pruned" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER prunings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON prunings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
DROP TRIGGER observations_append_only ON observations;
--> statement-breakpoint
CREATE TRIGGER observations_append_only BEFORE UPDATE OR TRUNCATE ON observations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER observations_kept BEFORE DELETE ON observations
  FOR EACH STATEMENT WHEN (current_setting('corridor.pruning', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Deletes up to rows_max of the oldest observations of a series (a row of provider_corridors), and
-- notes them in its roll-ups. The last one before the age limit stays: it is what held from there on.
CREATE FUNCTION prune_observations(series integer, age_limit timestamptz, rows_max integer)
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
  WITH last AS (
    SELECT effective_from, id FROM observations
    WHERE provider_corridor_id = series AND effective_from < age_limit
    ORDER BY effective_from DESC, id DESC LIMIT 1
  )
  SELECT array_agg(id) INTO doomed FROM (
    SELECT o.id FROM observations o, last
    WHERE o.provider_corridor_id = series
      AND (o.effective_from, o.id) < (last.effective_from, last.id)
    ORDER BY o.effective_from, o.id LIMIT rows_max
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
--> statement-breakpoint
REVOKE ALL ON FUNCTION prune_observations(integer, timestamptz, integer) FROM PUBLIC;
