import type { Sql } from '~/store/database.ts'

/** Runs work while the server has no room for observations, as with a full disk. */
export async function withoutRoom<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql`create function no_room() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file "base/1/2": No space left on device'
      using errcode = '53100';
  end $$`
  await sql`create trigger no_room before insert on observations
    for each row execute function no_room()`
  try {
    return await work()
  } finally {
    await sql`drop trigger no_room on observations`
    await sql`drop function no_room`
  }
}
