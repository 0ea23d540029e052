ALTER TABLE "changes" ADD COLUMN "catalogue" jsonb;
--> statement-breakpoint
-- The catalogue as of its commit: a process that follows later would read a newer one. log_change
-- holds the lock of the log by now, so no other commit comes between what is read here and the row.
CREATE FUNCTION log_catalogue() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  NEW.catalogue := jsonb_build_object(
    'currencies', (SELECT coalesce(jsonb_agg(c), '[]') FROM currencies c),
    'providers', (SELECT coalesce(jsonb_agg(p), '[]') FROM providers p),
    'activity', (SELECT coalesce(jsonb_agg(a ORDER BY a.since, a.id), '[]') FROM (
      SELECT id, provider_id, is_active, extract(epoch FROM since) * 1000 AS since
      FROM provider_activity
    ) a));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER changes_catalogue BEFORE INSERT ON changes
  FOR EACH ROW WHEN (NEW.kind = 'catalogue') EXECUTE FUNCTION log_catalogue();
