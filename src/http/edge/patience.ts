/** The time that the server waits for a client to read the end of a response. */
const END_SECONDS = 10

/** The time for which the server leaves a connection open on which nothing moves. */
export class Patience {
  #server: { timeout(request: Request, seconds: number): void } | null = null

  constructor(private readonly endSeconds = END_SECONDS) {}

  /** Uses this server from now on. */
  follow(server: { timeout(request: Request, seconds: number): void }): void {
    this.#server = server
  }

  /** Leaves the connection of a request open, however long nothing moves. */
  hold(request: Request): void {
    this.#server?.timeout(request, 0)
  }

  /** Closes the connection of a request soon, unless what waits for its reader is being read. */
  release(request: Request): void {
    this.#server?.timeout(request, this.endSeconds)
  }
}
