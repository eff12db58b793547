import { z } from 'zod'

/** The size limit of the metadata that each event of a message returns, in bytes of its JSON. */
const maxMetadataBytes = 2048

/** Data that a program wants returned with each event of its message. Iris does not read it. */
export const Metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxMetadataBytes,
    `has more than ${maxMetadataBytes} bytes`,
  )
export type Metadata = z.output<typeof Metadata>
