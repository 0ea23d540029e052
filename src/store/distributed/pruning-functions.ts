import type { TransactionSql } from '~/store/database.ts'

/**
 * Creates the functions that prune one series, as `kept_observations` and `prune_observations` do
 * on one PostgreSQL: every statement of them names the corridor, and so goes to its worker whole.
 */
export async function makePruningFunctions(tx: TransactionSql): Promise<void> {
  await tx.unsafe(KEPT)
  await tx.unsafe(PRUNE)
  await tx`revoke all on function prune_placed_observations(integer, integer, timestamptz, integer)
    from public`
  const roles = await tx<{ name: string }[]>`
    select distinct acl.grantee::regrole::text as name from pg_proc, aclexplode(proacl) acl
    where oid = 'prune_observations(integer, timestamptz, integer)'::regprocedure
      and acl.grantee not in (0, proowner)`
  for (const { name } of roles)
    await tx.unsafe(`grant execute on function prune_placed_observations to ${name}`)
}

const KEPT = `
  create or replace function kept_placed_observations(
    corridor integer, series integer, age_limit timestamptz
  ) returns setof bigint language plpgsql stable set search_path = public, pg_temp as $$
  begin
    return query
    with recursive known as (
      select 0 as offer_id union all
      select f.id as offer_id from offers f
      where f.corridor_id = corridor and f.provider_corridor_id = series
    ), last as (
      select last_one.* from known cross join lateral (
        select * from (
          (select o.id, o.offer_id, o.effective_from, o.valid_until from observations o
          where o.corridor_id = corridor and o.provider_corridor_id = series
            and o.offer_id = known.offer_id and o.valid_until is null
            and o.effective_from < age_limit
          order by o.effective_from desc, o.id desc limit 1)
          union all
          (select o.id, o.offer_id, o.effective_from, o.valid_until from observations o
          where o.corridor_id = corridor and o.provider_corridor_id = series
            and o.offer_id = known.offer_id and o.valid_until is not null
            and o.effective_from < age_limit
          order by o.effective_from desc, o.id desc limit 1)
        ) either
        order by effective_from desc, id desc limit 1
      ) last_one
    ), kept as (
      select * from last
      union all
      select older.* from kept cross join lateral (
        select * from (
          (select o.id, o.offer_id, o.effective_from, o.valid_until from observations o
          where o.corridor_id = corridor and o.provider_corridor_id = series
            and o.offer_id = kept.offer_id and o.valid_until is null
            and o.effective_from < age_limit
            and (o.effective_from, o.id) < (kept.effective_from, kept.id)
          order by o.effective_from desc, o.id desc limit 1)
          union all
          select o.id, o.offer_id, o.effective_from, o.valid_until from observations o
          where o.corridor_id = corridor and o.provider_corridor_id = series
            and o.offer_id = kept.offer_id
            and o.valid_until >= age_limit and o.valid_until > kept.valid_until
            and o.effective_from < age_limit
            and (o.effective_from, o.id) < (kept.effective_from, kept.id)
        ) either
        order by effective_from desc, id desc limit 1
      ) older
      where kept.valid_until is not null
    )
    select kept.id from kept;
  end $$`

const PRUNE = `
  create or replace function prune_placed_observations(
    corridor integer, series integer, age_limit timestamptz, rows_max integer
  ) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    kept bigint[];
    doomed bigint[];
    hours timestamptz[];
    since timestamptz;
    upto timestamptz;
    deleted integer;
  begin
    if age_limit > now() - interval '1 year' then
      raise exception 'observations are kept for a year or longer'
        using errcode = 'restrict_violation';
    end if;
    loop
      kept := array(select kept_placed_observations(corridor, series, age_limit));
      select array_agg(id), array_agg(date_bin(interval '1 hour', effective_from, 'epoch')),
        min(effective_from), max(effective_from)
      into doomed, hours, since, upto from (
        select o.id, o.effective_from from observations o
        where o.corridor_id = corridor and o.provider_corridor_id = series
          and o.effective_from < age_limit and o.id <> all(kept)
        order by o.effective_from, o.id limit rows_max
      ) oldest;
      -- Again if what was recorded in between is needed but not in the first list.
      exit when doomed is null
        or not doomed && array(select kept_placed_observations(corridor, series, age_limit));
    end loop;
    if doomed is null then
      return 0;
    end if;
    perform 1 from rollups r where r.corridor_id = corridor and r.hour = any(hours)
    order by r.hour for update;
    set local corridor.pruning = 'on';
    delete from long_prices p where p.corridor_id = corridor and p.id = any(doomed);
    delete from observations o where o.corridor_id = corridor and o.provider_corridor_id = series
      and o.id = any(doomed) and o.effective_from between since and upto;
    get diagnostics deleted = row_count;
    if deleted <> cardinality(doomed) then
      raise exception '% of % observations were withdrawn meanwhile', cardinality(doomed) - deleted,
        cardinality(doomed) using errcode = 'serialization_failure';
    end if;
    set local corridor.pruning = 'off';
    update rollups r set pruned = r.pruned + gone.count from (
      select unnested.hour, count(*)::integer as count from unnest(hours) as unnested (hour)
      group by unnested.hour
    ) gone
    where r.corridor_id = corridor and r.hour = gone.hour;
    return deleted;
  end $$`
