-- What the log of changes tells where observations are on several servers, which show their parts of
-- a commit one after the other: null on one PostgreSQL, whose commits everybody sees whole.
ALTER TABLE "changes" ADD COLUMN "corridor_ids" integer[];--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "unseen" text;--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "witnesses" bigint[];--> statement-breakpoint
CREATE INDEX "changes_unseen" ON "changes" USING btree ("position") WHERE "changes"."unseen" in ('open', 'aside');
--> statement-breakpoint
-- As log_change, for observations of these corridors, which may not be seen whole yet. Whoever serves
-- may call it and the functions below, without the right to change what was logged.
CREATE FUNCTION log_spread_change(
  change_ids bigint[], change_at timestamptz, change_since timestamptz, change_until timestamptz,
  change_corridors integer[], change_witnesses bigint[], change_unseen text DEFAULT 'open'
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  logged bigint;
BEGIN
  logged := log_change('observations', change_ids, change_at, NULL, change_since, change_until);
  UPDATE changes SET corridor_ids = change_corridors, witnesses = change_witnesses,
    unseen = change_unseen WHERE position = logged;
  RETURN logged;
END
$$;
--> statement-breakpoint
-- Notes that changes were seen whole, those that nobody went on without.
CREATE FUNCTION settle_changes(positions bigint[]) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
  UPDATE changes SET unseen = NULL WHERE position = ANY (positions) AND unseen = 'open'
$$;
--> statement-breakpoint
-- Notes that somebody went on without a change that is in the log.
CREATE FUNCTION set_change_aside(change_position bigint) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
  UPDATE changes SET unseen = 'aside'
  WHERE position = change_position AND kind = 'observations' AND corridor_ids IS NOT NULL
$$;
--> statement-breakpoint
-- Logs a change that was set aside once more, and answers its rows; nothing if another has done so.
CREATE FUNCTION tell_change_again(
  change_position bigint, OUT logged bigint, OUT ids bigint[], OUT since timestamptz,
  OUT until timestamptz
) RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  told changes;
BEGIN
  UPDATE changes SET unseen = NULL WHERE changes.position = change_position AND unseen = 'aside'
    RETURNING * INTO told;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  logged := log_spread_change(told.ids, told.at, told.since, told.until, told.corridor_ids,
    told.witnesses, 'again');
  ids := told.ids;
  since := told.since;
  until := told.until;
  RETURN NEXT;
END
$$;
