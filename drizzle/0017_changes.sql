CREATE TABLE "changes" (
	"position" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"ids" bigint[]
);
--> statement-breakpoint
-- Writes a row of the log of changes as the last work of a transaction, and answers its position.
-- Whoever calls it holds up all others who write here until it commits, so that positions ascend in
-- the order of commits. With unless_after it writes nothing, and answers null, where a row of this
-- kind (for an hour: of this hour) stands after that position.
CREATE FUNCTION log_change(
  change_kind text, change_ids bigint[], change_at timestamptz, unless_after bigint DEFAULT NULL
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
  INSERT INTO changes (position, at, kind, ids)
  SELECT greatest((pg_current_wal_insert_lsn() - '0/0')::bigint, coalesce(max(position), 0) + 1),
    coalesce(change_at, clock_timestamp()), change_kind, change_ids
  FROM changes
  RETURNING position INTO logged;
  RETURN logged;
END
$$;
