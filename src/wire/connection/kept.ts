import { keyMark } from '~/domain/api-key.ts'
import type { Kept, SentTable } from '~/domain/person/kept.ts'
import { presentAlert } from '~/wire/alert/alert.ts'
import { iso } from '~/wire/present.ts'

/** Everything stored about a person, for that person to download. */
export const presentKept = (kept: Kept, nowMs: number) => ({
  downloaded_at: iso(nowMs),
  person: {
    email: kept.person.email,
    signed_up_at: iso(kept.person.createdMs),
    language: kept.person.language,
  },
  account: {
    id: kept.account.id,
    plan: kept.account.plan,
    role: kept.account.role,
    created_at: iso(kept.account.createdMs),
  },
  password: 'stored as a salted hash, which is not part of this file',
  authenticator_app: kept.factors.hasApp,
  passkeys: kept.factors.passkeys.map(({ name, createdMs }) => ({
    name,
    added_at: iso(createdMs),
  })),
  sessions: kept.sessions.map(({ userAgent, createdMs, usedMs }) => ({
    browser: userAgent,
    signed_in_at: iso(createdMs),
    last_used_at: iso(usedMs),
  })),
  keys: kept.keys.map((key) => ({
    id: key.id,
    name: key.name,
    key: keyMark(key),
    created_at: iso(key.createdMs),
    ends_at: key.revokedMs === null ? null : iso(key.revokedMs),
  })),
  requests_by_day: kept.usage.map(({ day, keyId, requests }) => ({ day, key: keyId, requests })),
  applications: kept.applications.map(({ name, clientId, createdMs }) => ({
    name,
    client_id: clientId,
    connected_at: iso(createdMs),
  })),
  alerts: kept.alerts.map(presentAlert),
  alert_deliveries: kept.deliveries.map(({ alertId, createdMs, status, body }) => ({
    alert: alertId,
    created_at: iso(createdMs),
    status,
    body,
  })),
  changes: kept.changes.map(({ atMs, ...change }) => ({ at: iso(atMs), ...change })),
  ...presentSent(kept),
})

/** The tables of prices that were sent, and how such are read. */
const presentSent = (kept: Kept) => ({
  uploads: kept.uploads.map(({ recordedMs, withdrawnMs, ...upload }) => ({
    ...sentTable(upload),
    recorded_at: iso(recordedMs),
    withdrawn_at: withdrawnMs === null ? null : iso(withdrawnMs),
  })),
  previews: kept.drafts.map(({ createdMs, ...draft }) => ({
    ...sentTable(draft),
    sent_at: iso(createdMs),
  })),
  table_layouts: kept.layouts.map(({ header, choices, usedMs }) => ({
    header,
    read_as: choices.columns,
    used_at: iso(usedMs),
  })),
})

const sentTable = ({ fileName, person, rowCount }: SentTable) => ({
  file: fileName,
  sent_by: person,
  rows: rowCount,
})
