import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function TraceScreen() {
  return (
    <Screen title="Trace">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
