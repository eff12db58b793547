import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'

export const lateAnswers = operation({
  name: 'late_answers',
  routes: [],
  title: 'Wait for late answers of this session',
  description:
    "Waits for late answers that can be delivered to this bridge's session. With take: returns them, each once.",
  access: 'program',
  isTool: false,
  input: z.object({ take: z.boolean().optional() }),
  output: z.object({ pushes: z.array(z.object({ turnId: z.string(), text: z.string() })) }),
  readOnly: false,
})
