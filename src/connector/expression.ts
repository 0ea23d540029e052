import jsonata, { type ExprNode } from 'jsonata'

/** The limits of one evaluation: its time, the depth of its calls, and the length of a list. */
const LIMITS = { timeout: 1000, stack: 200, sequence: 100_000 }

/** A JSONata expression that was understood. */
export type Expression = {
  /** The names that it looks up in the row itself. */
  readonly columns: readonly string[]
  /** Evaluates it; undefined if it finds nothing. Rejects with a sentence. */
  valueIn(input: unknown): Promise<unknown>
}

/** The error of an invalid expression, as words that follow its name; null if it is valid. */
export function expressionFault(text: string): string | null {
  try {
    jsonata(text)
    return null
  } catch (error) {
    const { message, position } = error as { message: string; position?: number }
    return `is not JSONata: ${message}${position ? ` at its character ${position}` : ''}`
  }
}

/** Compiles a valid expression. It cannot evaluate text of a response as an expression. */
export function expressionOf(text: string): Expression {
  const expression = jsonata(text, LIMITS)
  expression.assign('eval', undefined)
  return {
    columns: columnsIn(expression.ast()),
    async valueIn(input) {
      try {
        return await expression.evaluate(input)
      } catch (error) {
        throw new Error(`failed: ${reasonOf(error as Failure)}`)
      }
    },
  }
}

type Failure = { readonly message?: string; readonly value?: unknown }

/** The reason why an evaluation failed; for a calculation with a string, also the remedy. */
function reasonOf({ message = 'no reason given', value }: Failure): string {
  const isText = typeof value === 'string' && message.endsWith('must evaluate to a number')
  return isText ? `${message}, not a string: $number(...) makes one of "1.5"` : message
}

type Node = ExprNode & { condition?: ExprNode; then?: ExprNode; else?: ExprNode }

/** The first steps of the paths in an expression; later steps look into the first one's result. */
function columnsIn(node: Node | undefined): string[] {
  if (!node || typeof node !== 'object' || node.type === 'lambda') return []
  const [first] = node.steps ?? []
  if (first) return first.type === 'name' ? [String(first.value)] : columnsIn(first)
  const { lhs, rhs, condition, then, else: other } = node
  const sides = [lhs, rhs, condition, then, other] as (Node | undefined)[]
  return [...(node.arguments ?? []), ...(node.expressions ?? []), ...sides].flatMap((one) =>
    columnsIn(one as Node | undefined),
  )
}
