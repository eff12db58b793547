import { z } from 'zod'

type Schema = { readonly type?: unknown; readonly anyOf?: readonly Schema[]; readonly items?: unknown }

/** What a query says is text; the contract says what is meant: `limit=5` is a number, `status=a&status=b` a list. */
export class QueryReader {
  readonly #fields: Readonly<Record<string, Schema>>

  constructor(input: z.ZodObject) {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    this.#fields = properties as Readonly<Record<string, Schema>>
  }

  /** What does not fit stays text, for the contract to refuse. A field named once more than it can be becomes a list. */
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
