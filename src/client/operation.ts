import type { components, operations } from './document.ts'

/** The schemas that the document names: `Schemas['ProviderRate']`. */
export type Schemas = components['schemas']

export type OperationId = keyof operations

export type ParametersOf<Id extends OperationId> = Given<operations[Id]['parameters']['path']> &
  Given<operations[Id]['parameters']['query']>

export type BodyOf<Id extends OperationId> = JsonOf<operations[Id]['requestBody']>

export type AnswerOf<Id extends OperationId> = JsonOf<ResponseOf<Id, Success>>

/** The body of any error response of the operations; `code` distinguishes them. */
export type ErrorBody = {
  [Id in OperationId]: JsonOf<ResponseOf<Id, Exclude<keyof operations[Id]['responses'], Success>>>
}[OperationId]

type Success = 200 | 201 | 202 | 204

type Given<Parameters> = [NonNullable<Parameters>] extends [never]
  ? unknown
  : NonNullable<Parameters>

type ResponseOf<Id extends OperationId, Status> = operations[Id]['responses'][Status &
  keyof operations[Id]['responses']]

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } }
  ? Body
  : never
