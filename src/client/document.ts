/**
 * Loose types of the operations, for a checkout. The build replaces this file by the types that
 * openapi-typescript generates from the OpenAPI document, and compiles the client with them.
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
