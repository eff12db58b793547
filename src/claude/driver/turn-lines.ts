import type { Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { isTaskNews, ReportsDue } from './reports-due.ts'

/** Collects one turn from the lines of a transcript, with the reports of its background tasks. */
export class TurnLines {
  /** Index of its first line. */
  readonly begin: number
  readonly #reports = new ReportsDue([])
  #lastWords: Line | undefined
  #answer: Line | undefined
  /** Whether the model has not ended its turn since its last input. */
  #isOpen = true

  constructor(begin = 0) {
    this.begin = begin
  }

  /** The last line that ended a turn of the model. */
  get lastWords(): Line | undefined {
    return this.#lastWords
  }

  /** The last line that ended a turn of the model while no report was due. */
  get answer(): Line | undefined {
    return this.#answer
  }

  isReport(line: Line): boolean {
    return isTaskNews(line) && this.#reports.any && (this.#reports.due.length > 0 || this.#isOpen)
  }

  take(line: Line): void {
    if (isTaskNews(line)) {
      this.#reports.takeNews(line)
      this.#isOpen = true
    } else if (line.type === 'user') this.#reports.takeResults(line)
    else if (isLastWord(line)) {
      this.#isOpen = false
      this.#lastWords = line
      if (this.#reports.due.length === 0) this.#answer = line
    }
  }
}

function isLastWord(line: Line): boolean {
  const message = line['message']
  return line.type === 'assistant' && isRecord(message) && message['stop_reason'] === 'end_turn'
}
