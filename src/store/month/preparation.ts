import type { Sql } from '~/store/database.ts'

/** The migration that divides observations by months; that before it added columns filled here. */
export const MONTHS = '0020_months'

type Patiently = (sql: Sql, work: () => Promise<unknown>) => Promise<void>

/**
 * Runs the slow steps while the old version serves, so that the migration does not block it:
 * validates the parts' constraints, builds the index of the new primary key, and fills the columns
 * that the previous migration added.
 *
 * The next run uses, or creates again, what an interrupted one leaves behind. From then on nothing
 * that takes effect after the month to come can be recorded before the migration is applied, which
 * is a month away or more.
 */
export async function prepareMonths(sql: Sql, patiently: Patiently): Promise<void> {
  await patiently(sql, () => boundEnd(sql))
  await patiently(sql, () => fillOffers(sql))
  await sql`set lock_timeout = 0`
  await sql`alter table observations validate constraint observations_end`
  await sql`
    insert into long_prices
      (corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until)
    select corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
    from observations where valid_until > effective_from + interval '768 hours'
    on conflict do nothing`
  await patiently(sql, () => makeKey(sql))
}

/** Creates the index of the new primary key, again if an earlier run was interrupted. */
async function makeKey(sql: Sql): Promise<void> {
  await sql`set lock_timeout = 0`
  const [index] = await sql`
    select indisvalid from pg_index where indexrelid = to_regclass('public.observations_place')`
  if (index && !index.indisvalid) await sql`drop index concurrently observations_place`
  await sql`
    create unique index concurrently if not exists observations_place
    on observations (id, corridor_id, effective_from)`
}

/**
 * Promises that rows end before a month to come, unless a promise holds for long enough. A clock
 * that went ahead may have recorded rows of a later month.
 */
const boundEnd = (sql: Sql) =>
  sql`
    do $$
    declare
      last timestamptz := greatest(now(), (
        select max(newest.effective_from) from corridors c cross join lateral (
          select effective_from from observations where corridor_id = c.id
          order by effective_from desc limit 1
        ) newest
      ));
      goal timestamptz :=
        (date_trunc('month', last at time zone 'UTC') + interval '2 months') at time zone 'UTC';
      kept timestamptz := (
        select (regexp_match(pg_get_constraintdef(oid), '''([^'']+)'''))[1] from pg_constraint
        where conrelid = 'observations'::regclass and conname = 'observations_end'
      );
    begin
      if kept >= goal then
        return;
      end if;
      alter table observations drop constraint if exists observations_end;
      execute format('alter table observations add constraint observations_end
        check (effective_from < %L) not valid', goal);
    end $$`.simple()

/** Sets the corridors of earlier offers; meanwhile offers can be read, but none created. */
const fillOffers = (sql: Sql) =>
  sql.begin(async (tx) => {
    await tx`alter table offers disable trigger offers_append_only`
    await tx`
      update offers set corridor_id = p.corridor_id from provider_corridors p
      where p.id = offers.provider_corridor_id and offers.corridor_id is null`
    await tx`alter table offers enable trigger offers_append_only`
  })
