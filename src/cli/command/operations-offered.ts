import { z } from 'zod'
import { contracts } from '../../protocol/operations/index.ts'
import type { Operation } from '../../protocol/operations/operation.ts'
import type { Field, Offered } from './offered.ts'

/** Reads the contracts themselves. */
export function operationsOffered(): Offered {
  const offered = Object.entries<Operation>(contracts).map(([name, { title, access, input }]) => {
    return [name, { title, access, fields: fieldsOf(input) }] as const
  })
  return Object.fromEntries(offered) as Offered
}

function fieldsOf(input: z.ZodObject): readonly Field[] {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => {
    const { type, enum: values, description = '' } = typeof schema === 'object' ? schema : {}
    return { name, type, choices: type === 'string' ? values?.map(String) : undefined, description }
  })
}
