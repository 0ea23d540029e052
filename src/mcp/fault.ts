/** A fault of the exchange itself: an HTTP status with a JSON-RPC error that answers no request. */
export class RpcFault extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}
