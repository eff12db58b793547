import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'

export const lateAnswers = operation({
  name: 'late_answers',
  routes: [],
  title: 'Answers for the inbox of the session that asked',
  description:
    'Waits until answers that came too late can be handed to the session of this bridge. With take: returns them, each once.',
  access: 'program',
  isTool: false,
  input: z.object({ take: z.boolean().optional() }),
  output: z.object({ pushes: z.array(z.object({ turnId: z.string(), text: z.string() })) }),
  readOnly: false,
})
