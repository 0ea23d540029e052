/**
 * Stands where the types are that `openapi-typescript` makes of the document. The client's test puts
 * the real ones into its place before it compiles the client.
 */
// biome-ignore lint/suspicious/noExplicitAny: the real types are made in the test
export type paths = any
