import { z } from 'zod'

// Only tests import this file for its values: the executable takes the types and starts without zod.

const path = z.string().min(1)
const count = z.number().int().nonnegative()
const steps = z.record(z.string(), z.unknown())

/** Things a process does, in a tool too: `during` runs them while the tool is open. */
export const actShapes = {
  delayMs: z.number().nonnegative(),
  /** Goes on when the file is there. */
  waitForFile: path,
  touchFile: path,
  /** An effect: one line, one append, noted by the oracle. */
  appendFile: z.strictObject({ path, line: z.string() }),
  /** Bytes as they are, no line feed added. */
  rawStdout: z.union([z.string(), z.strictObject({ base64: z.base64() })]),
  /** One well-formed line of so many bytes. */
  hugeLine: count,
  flood: z.strictObject({ lines: count, bytes: count, to: z.enum(['stdout', 'stderr']).optional() }),
  stderr: z.string(),
  exit: count,
  kill: z.enum(['SIGKILL', 'SIGTERM', 'SIGABRT', 'SIGSEGV']),
  /** SIGSTOP to itself: until someone sends SIGCONT. */
  stop: z.literal(true),
  /** The event loop stops for good; the process stays. */
  hang: z.literal(true),
  /** Everything it says from now on is lost. */
  closeStdout: z.literal(true),
  /** Reads no more input. */
  ignoreStdin: z.literal(true),
  /** Leaves a child in its own session, with this environment. */
  setsidChild: z.strictObject({ seconds: z.number().positive() }),
}

const Act = oneOf(actShapes)
export type Act = OneOf<typeof actShapes>
export type ActValues = ValuesOf<typeof actShapes>

/** Things the model says or does, and how the turn ends. Texts are templates: see template.ts. */
export const speechShapes = {
  text: z.string(),
  /** Text whose block stays open: a following `text` ends it, whole. */
  partial: z.string(),
  thinking: z.string(),
  tool: z.strictObject({
    name: z.string(),
    input: steps.optional(),
    output: z.string().optional(),
    isError: z.boolean().optional(),
    during: z.array(Act).optional(),
  }),
  mcpCall: z.strictObject({ server: z.string().optional(), name: z.string(), arguments: steps.optional() }),
  apiRetry: z.strictObject({
    attempt: count.optional(),
    maxRetries: count.optional(),
    delayMs: z.number().optional(),
    status: count,
    error: z.string(),
  }),
  /** As the CLI ends a turn whose request the API refused. */
  apiFailure: z.strictObject({ status: count, message: z.string(), error: z.string().optional() }),
  /** Overrides fields of the result line, by their names there. */
  result: steps,
  noResult: z.literal(true),
  duplicateResult: z.literal(true),
  /** The result comes now; when the file is there, a turn nobody asked for, whose message is `prompt`. */
  backgroundTask: z.strictObject({ id: z.string(), endsAfterFile: path, prompt: z.string().optional() }),
  /**
   * A workflow that goes on after the result; when the file is there, its report: a turn nobody asked for, whose message
   * has `<task-id>id</task-id>`. `nested`: its own agent, whose end only the workflow hears. `reports: false`: it
   * ends, and no turn follows.
   */
  backgroundAgent: z.strictObject({
    id: z.string(),
    endsAfterFile: path,
    nested: z.strictObject({ id: z.string(), endsAfterFile: path }).optional(),
    reports: z.boolean().optional(),
  }),
  /** What the scripted model at ANTHROPIC_BASE_URL says and does. */
  model: z.literal(true),
  /** A turn nobody asked for follows at once; rules are matched against `prompt`. */
  unsolicitedTurn: z.strictObject({ prompt: z.string() }),
}

export type SpeechValues = ValuesOf<typeof speechShapes>
export type Step = OneOf<typeof actShapes & typeof speechShapes>
const Step = oneOf({ ...actShapes, ...speechShapes })

const Rule = z.strictObject({
  /** Text that the message holds, or a regular expression; absent: any message. */
  when: z.union([z.string(), z.strictObject({ regex: z.string() })]).optional(),
  /** The rule counts once over all processes: for the first that can create this file. */
  onceFile: path.optional(),
  /** What the process calls its session from this turn on. */
  wrongSessionId: z.string().optional(),
  steps: z.array(Step),
})
export type Rule = z.infer<typeof Rule>

/** What a fake plays. The first rule that matches a message answers it; without one: `echo: <last line>`. */
export const Script = z.strictObject({
  rules: z.array(Rule).optional(),
  /** From the start to the first line read. */
  startDelayMs: count.optional(),
  /** Once the first result is written: what befalls a process that waits for its next message. */
  atRest: z.array(Act).optional(),
  neverInitialize: z.boolean().optional(),
  initializeError: z.string().optional(),
  /** So many times it takes settings while it runs, then it refuses them. */
  takesSettings: count.optional(),
  /** Ends before anything is read, as long as `unlessFile` is missing. */
  exitAtStart: z.strictObject({ code: count, stderr: z.string(), unlessFile: path.optional() }).optional(),
  /** How late the transcript is written; 100 as the real one. */
  flushDelayMs: count.optional(),
  /** As builds that list no tasks, and say that they are at rest while agents work. */
  older: z.boolean().optional(),
  /** Lives on when stdin ends, when SIGTERM comes. */
  ignoreInputEnd: z.boolean().optional(),
  ignoreTerm: z.boolean().optional(),
  model: z.string().optional(),
  contextWindow: count.optional(),
})
export type Script = z.infer<typeof Script>

type Shapes = Readonly<Record<string, z.ZodType>>
type ValuesOf<S extends Shapes> = { readonly [K in keyof S]: z.infer<S[K]> }
type OneOf<S extends Shapes> = { [K in keyof S]: Readonly<Record<K, z.infer<S[K]>>> }[keyof S]

/** An object with exactly one of these keys. */
function oneOf<S extends Shapes>(shapes: S): z.ZodType<OneOf<S>> {
  const options: readonly z.ZodType[] = Object.entries(shapes).map(([key, shape]) => z.strictObject({ [key]: shape }))
  return z.union(options) as unknown as z.ZodType<OneOf<S>>
}
