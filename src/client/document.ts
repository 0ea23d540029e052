/**
 * Stands where the types are that openapi-typescript makes of the OpenAPI document. When the client
 * is built, those take its place, and the client is compiled with them.
 */
export type operations = Record<
  string,
  {
    parameters: { path?: object; query?: object }
    requestBody?: { content: { 'application/json': unknown } }
    responses: {
      200: { content: { 'application/json': unknown } }
      400: { content: { 'application/json': { error: string; code: string } } }
    }
  }
>

export type components = { schemas: Record<string, unknown> }
