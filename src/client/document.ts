/**
 * Placeholder for the types that openapi-typescript generates from the OpenAPI document. The build
 * replaces it by those types and compiles the client with them.
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
