import { z } from 'zod'

type Schema = { readonly type?: unknown; readonly anyOf?: readonly Schema[]; readonly items?: unknown }

/** Converts the text of a query by the contract: `limit=5` becomes a number, `status=a&status=b` a list. */
export class QueryReader {
  readonly #fields: Readonly<Record<string, Schema>>

  constructor(input: z.ZodObject) {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    this.#fields = properties as Readonly<Record<string, Schema>>
  }

  /** A value of the wrong type stays text, and the contract refuses it. A repeated field becomes a list. */
  read(query: Readonly<Record<string, readonly string[]>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(query).map(([name, texts]) => {
        const values = texts.map((text) => valueOf(text, this.#fields[name]))
        return [name, values.length === 1 && !isOnlyList(this.#fields[name]) ? values[0] : values]
      }),
    )
  }
}

function isOnlyList(field: Schema | undefined): boolean {
  return field?.type === 'array'
}

function valueOf(text: string, field: Schema | undefined): unknown {
  const types = (field?.anyOf ?? [field]).map((each) => each?.type)
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text)
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
