import type { ReportAnswer } from '../../http/ops/evaluation-schema.ts';

const CONCLUSIONS: Readonly<Record<ReportAnswer['conclusion'], string>> = {
  more_visits: 'The model leads to more visits than the present one.',
  fewer_visits: 'The model leads to fewer visits than the present one.',
  no_difference_shown: 'The logs show no difference between the model and the present one.',
  refused: 'The logs cannot support a conclusion:',
};

/** The report for a terminal. */
export function reportText(report: ReportAnswer): string {
  const { ndcg_at_10: ndcg, place_curve: curve } = report;
  const sections = [
    [`Model ${report.model}`, CONCLUSIONS[report.conclusion], ...report.reasons.map((reason) => `  ${reason}`)],
    [
      `${report.answers} answers, ${report.visits} verified visits${othersOf(report)}`,
      ...table([
        ['visits per answer', '', '95 % interval'],
        row('now', report.visits_per_answer),
        row('model, SNIPS', report.snips),
        row('model, doubly robust', report.doubly_robust),
        row('model minus now', report.difference),
      ]),
      `Effective sample: ${Math.floor(report.effective_sample)} answers`,
      `Another activity first: ${report.differing} answers, ${report.differing_explored} of them explored`,
      `First places that the logs support: ${(100 * report.overlap).toFixed(1)} %`,
      `NDCG@10 on verified visits: ${ndcg === null ? 'no visits' : `now ${three(ndcg.now)}, model ${three(ndcg.model)}`}`,
    ],
    [
      report.moves.length === 0
        ? 'No activity changes its place.'
        : 'Mean change of place (negative: nearer to the first)',
      ...table(
        report.moves.map((move) => [move.activity_id, signed(move.mean_place_change), `in ${move.answers} answers`]),
      ),
    ],
    [
      `Relative probability of a visit by place; in force: ${curve.version}`,
      ...table([
        ['place', 'in force', 'estimated', 'visits', 'answers', 'of drawn', 'visits', 'drawn'],
        ...curve.places.map((each) => [
          String(each.place),
          three(each.in_force),
          threeOrNone(each.estimated),
          String(each.visits),
          String(each.answers),
          threeOrNone(each.of_drawn),
          String(each.drawn_visits),
          String(each.drawn),
        ]),
      ]),
    ],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function othersOf({ other_models: others }: ReportAnswer): string {
  return others === 0 ? '' : `; ${others} answers of other scoring rules left out`;
}

function row(name: string, estimate: ReportAnswer['snips']): readonly string[] {
  if (estimate === null) return [name, 'none', ''];
  return [name, estimate.value.toFixed(4), `${estimate.low.toFixed(4)} to ${estimate.high.toFixed(4)}`];
}

/** Indented columns. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((cells) => (cells[at] ?? '').length)));
  return rows.map((cells) => `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}

function three(value: number): string {
  return value.toFixed(3);
}

function threeOrNone(value: number | null): string {
  return value === null ? '-' : three(value);
}

function signed(change: number): string {
  return `${change > 0 ? '+' : ''}${change.toFixed(1)}`;
}
