-- The two parts of known.observations, each by itself: the rows that are still there, and those that
-- were withdrawn since. Of one table of months the planner keeps their order, so that the search for
-- a newest row ends in the month that has it; of the union it opens every month.
CREATE VIEW known.kept_observations AS
SELECT id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee,
  fee_currency, notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until,
  recorded_by, recorded_via
FROM public.observations said
WHERE recorded_at <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND ((
      SELECT NOT EXISTS (
        SELECT FROM public.late_commits late
        WHERE late.known_at > current_setting('corridor.known_at')::timestamptz
          AND late.said_at <= current_setting('corridor.known_at')::timestamptz
      )
    ) OR NOT EXISTS (
      SELECT FROM public.late_commits late
      WHERE late.kind = 'observations' AND late.said_at = recorded_at
        AND (late.ids IS NULL OR said.id = ANY (late.ids))
        AND late.known_at > current_setting('corridor.known_at')::timestamptz
    ));
--> statement-breakpoint
CREATE VIEW known.withdrawn_observations AS
SELECT id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee,
  fee_currency, notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until,
  recorded_by, recorded_via
FROM public.withdrawals said
WHERE recorded_at <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND (withdrawn_at > (SELECT current_setting('corridor.known_at')::timestamptz)
    OR EXISTS (
      SELECT FROM public.late_commits late
      WHERE late.kind = 'withdrawals' AND late.said_at = withdrawn_at AND said.id = ANY (late.ids)
        AND late.known_at > current_setting('corridor.known_at')::timestamptz
    ))
  AND ((
      SELECT NOT EXISTS (
        SELECT FROM public.late_commits late
        WHERE late.known_at > current_setting('corridor.known_at')::timestamptz
          AND late.said_at <= current_setting('corridor.known_at')::timestamptz
      )
    ) OR NOT EXISTS (
      SELECT FROM public.late_commits late
      WHERE late.kind = 'observations' AND late.said_at = recorded_at
        AND (late.ids IS NULL OR said.id = ANY (late.ids))
        AND late.known_at > current_setting('corridor.known_at')::timestamptz
    ));
--> statement-breakpoint
-- No reference is recorded before it was fetched, so later ones need no look at their snapshot; a day
-- is for clocks that differ.
CREATE OR REPLACE VIEW known.reference_rates AS
SELECT * FROM public.reference_rates r
WHERE fetched_at <= (SELECT current_setting('corridor.known_at')::timestamptz + interval '1 day')
  AND (
    SELECT recorded_at FROM public.reference_snapshots s WHERE s.id = r.snapshot_id
  ) <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND ((
      SELECT NOT EXISTS (
        SELECT FROM public.late_commits late
        WHERE late.known_at > current_setting('corridor.known_at')::timestamptz
          AND late.said_at <= current_setting('corridor.known_at')::timestamptz
      )
    ) OR EXISTS (SELECT FROM known.reference_snapshots s WHERE s.id = r.snapshot_id));
--> statement-breakpoint
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_class, aclexplode(relacl) acl
    WHERE oid = 'known.observations'::regclass AND acl.privilege_type = 'SELECT'
      AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT ON known.kept_observations, known.withdrawn_observations TO %s',
      role.name);
  END LOOP;
END $$;
