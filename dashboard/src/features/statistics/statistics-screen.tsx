import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function StatisticsScreen() {
  return (
    <Screen title="Statistics">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
