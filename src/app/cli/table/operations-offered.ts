import { z } from 'zod'
import type { Access, Operation } from '../../../base/operation/operation.ts'
import { contracts, type OperationName } from '../../../features/contracts.ts'

export interface Field {
  readonly name: string
  readonly type: unknown
  readonly choices: readonly string[] | undefined
  readonly description: string
}

/** The part of a contract that commands need: all but its output. */
export interface OfferedOperation {
  readonly title: string
  readonly access: Access
  /** Whether it changes nothing, so that it may be called twice. */
  readonly readOnly: boolean
  readonly fields: readonly Field[]
}

export type Offered = Readonly<Record<OperationName, OfferedOperation>>

/** Reads the contracts themselves. */
export function operationsOffered(): Offered {
  const offered = Object.entries<Operation>(contracts).map(([name, { title, access, readOnly, input }]) => {
    return [name, { title, access, readOnly, fields: fieldsOf(input) }] as const
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
