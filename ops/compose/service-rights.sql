-- a role that only serves; run as the owner of the database, after each migrate
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public, drizzle, known TO corridor_service;
GRANT SELECT ON ALL TABLES IN SCHEMA public, drizzle, known TO corridor_service;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO corridor_service;
GRANT INSERT ON ALL TABLES IN SCHEMA public TO corridor_service;
REVOKE INSERT ON archived_months, observation_blocks FROM corridor_service;
GRANT UPDATE ON currencies, providers, rollups, reference_feed_state, quote_source_state,
  connector_state, log_checkpoints, log_keys, log_leaves, log_state, log_tiles, uploads, upload_drafts,
  upload_layouts, accounts,
  keys, usage, idempotency, portal_users, portal_credentials, portal_sessions, portal_verifications,
  portal_attempts, portal_passkeys, portal_two_factors, usage_meters, usage_shares, oauth_clients,
  oauth_consents, oauth_access_tokens, oauth_refresh_tokens, alerts, alert_deliveries TO corridor_service;
GRANT DELETE ON changes, day_files, day_file_editions, files, file_parts, log_checkpoints,
  rollups, idempotency,
  portal_users, portal_sessions,
  portal_verifications, portal_attempts, portal_passkeys, portal_two_factors, usage_meters,
  usage_shares, open_streams, oauth_clients, oauth_consents, oauth_access_tokens,
  oauth_refresh_tokens, alerts, alert_deliveries, upload_drafts, upload_layouts TO corridor_service;
GRANT EXECUTE ON FUNCTION forget_account TO corridor_service;
GRANT EXECUTE ON FUNCTION withdraw_observations TO corridor_service;
-- only where observations are to be pruned or archived
GRANT EXECUTE ON FUNCTION prune_observations, prove_early_observations, drop_observation_month,
  prune_withdrawals, announce_archive, archive_observations, compact_observation_month,
  forget_archive TO corridor_service;
