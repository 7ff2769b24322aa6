"""Works out again, from the samples in a store and by nothing of ours, every number that
`assay show --json` prints about them.

    recompute.py STORE REPORT

Ends with a line "N numbers"; a number that differs, or that nobody here knows, ends it
with a failure."""
import json, math, sqlite3, statistics, struct, sys

checked = 0
# Kept as they are stored, or chosen by the run: columns of benchmark_executions and runs.
STORED = {'index', 'group', 'arm', 'seed', 'segments', 'concurrency', 'overhead_s',
          'measured_planned', 'planned', 'done', 'steady_at', 'iteration', 'trial', 'bytes'}
# Worked out by methods with oracles of their own (tests/stats, tests/score, histograms.bats).
ELSEWHERE = {'merged', 'histograms', 'speed', 'efficiency', 'cost', 'overall', 'pass', 'pass_1',
             'pass_k', 'detail', 'claims', 'environment'}
STATUSES = ['ok', 'failed', 'timed_out', 'limit_breached', 'invalid_output', 'agent_error',
            'harness_error']


def same(what, said, found, tolerance=1e-11, slack=1e-300):
    global checked
    checked += 1
    missing = found is None or (isinstance(found, float) and math.isnan(found))
    if missing and said is None: return
    scale = max(abs(found), 1e-300) if not missing else 1
    if missing or said is None or abs(said - found) > tolerance * scale + slack:
        sys.exit(f'{what} is said to be {said!r} and is {found!r}')


def doubles(blob):
    return list(struct.unpack(f'<{len(blob) // 8}d', blob))


class Execution:
    """The samples of one phase, whether folded into series or still in chunks."""
    def __init__(self, db, id, phase):
        self.series = {}
        for metric, samples, definition in db.execute(
                'SELECT metric, samples, definition FROM series WHERE execution_id = ? AND'
                ' phase = ? ORDER BY id', (id, phase)):
            self.series[metric] = doubles(samples)
        own = ['trial.status', 'trial.start_s', 'trial.segment']
        folded = len(self.series.get('trial.status', []))
        trials = db.execute('SELECT first, count, segment, statuses, starts FROM trials WHERE'
                            ' execution_id = ? AND phase = ? ORDER BY first', (id, phase))
        for first, count, segment, statuses, starts in trials:
            assert first == len(self.series['trial.status']), 'trials have a gap'
            self.series['trial.status'] += [float(s) for s in statuses]
            self.series['trial.start_s'] += doubles(starts)
            self.series['trial.segment'] += [float(segment)] * count
        self.count = len(self.series.get('trial.status', []))
        for metric, samples in self.series.items():
            if metric not in own: samples += [math.nan] * (self.count - len(samples))
        for metric, first, samples in db.execute(
                'SELECT metric, first, samples FROM chunks WHERE execution_id = ? AND phase = ?',
                (id, phase)):
            assert first >= folded
            values = doubles(samples)
            self.series[metric][first:first + len(values)] = values


def quantile(ordered, q):  # type 7
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def median_interval(ordered):
    """The order statistics that hold the median in 95 % of samples of any distribution."""
    n = len(ordered)
    below, rank = 0.0, 0
    while rank < n:
        below += math.comb(n, rank) / 2 ** n
        if below > 0.025: break
        rank += 1
    return (ordered[rank - 1], ordered[n - rank]) if rank > 0 else (None, None)


def cases_of(db, cell):
    return dict(db.execute("SELECT trial, case_hash FROM case_results WHERE execution_id = ?"
                           " AND phase = 'measured' AND case_hash IS NOT NULL", (cell['id'],)))


def check_level(name, m, samples, cases, statuses):
    """Over cases, or trials where there are none: the median of medians; of shares and sums the
    mean of means, where no answer is a wrong one. A time-out is longer than all that was seen."""
    by_case = {}
    for trial, v in enumerate(samples):
        if math.isnan(v) and m['name'] == 'accuracy': v = 0
        if math.isnan(v) and cases and m['name'] == 'duration_s' and statuses[trial] == 2: v = math.inf
        if not math.isnan(v): by_case.setdefault(cases.get(trial, trial), []).append(v)
    same(f'{name}: level_n', m['level_n'], len(by_case))
    if m['kind'] not in ('share', 'sum'):
        medians = sorted(statistics.median(v) for v in by_case.values())
        finite = lambda v: None if v is None or math.isinf(v) else v
        same(f'{name}: level', m['level'], finite(statistics.median(medians)) if medians else None)
        low, high = median_interval(medians) if medians else (None, None)
        same(f'{name}: level_low', m['level_low'], finite(low))
        same(f'{name}: level_high', m['level_high'], finite(high))
        return
    means = [math.fsum(v) / len(v) for v in by_case.values()]
    same(f'{name}: level', m['level'], math.fsum(means) / len(means) if means else None, 1e-9)
    if m['level_low'] is not None: assert m['level_low'] <= m['level'] <= m['level_high'], name


def check_metric(cell, m, samples, cases, statuses):
    name = f"{cell['label']}: {m['name']}"
    assert len(m['samples']) == len(samples), name
    for said, stored in zip(m['samples'], samples): same(f'{name}: sample', said, stored, 0)
    check_level(name, m, samples, cases, statuses)
    values = [v for v in samples if math.isfinite(v)]
    same(f'{name}: n', m['n'], len(values))
    ordered = sorted(values)
    mean = math.fsum(values) / len(values) if values else None
    sd = None
    if len(values) > 1:
        sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
    cv = sd / mean if sd is not None and mean > 0 else None
    same(f'{name}: mean', m['mean'], mean)
    # Of values that are equal, a rounded mean leaves the last bit of them.
    bit = 1e-14 * abs(mean or 0)
    same(f'{name}: sd', m['sd'], sd, 1e-9, bit)
    same(f'{name}: cv', m['cv'], cv, 1e-9, 1e-14)
    label = ('unknown' if cv is None else 'excellent' if cv < .05 else 'good' if cv < .1
             else 'moderate' if cv < .15 else 'poor')
    assert m['cv_label'] == label, name
    for key, q in (('min', 0), ('p5', .05), ('p25', .25), ('median', .5), ('p75', .75),
                   ('p95', .95), ('p99', .99), ('max', 1)):
        same(f'{name}: {key}', m[key], quantile(ordered, q) if ordered else None)
    low, high = median_interval(ordered) if ordered else (None, None)
    same(f'{name}: median_low', m['median_low'], low)
    same(f'{name}: median_high', m['median_high'], high)
    mad = statistics.median(abs(v - m['median']) for v in values) if values else None
    same(f'{name}: mad', m['mad'], mad)
    outliers = 0
    if values and ordered[0] != ordered[-1]:
        sigma = 1.4826 * mad
        if sigma == 0: sigma = 1.2533 * math.fsum(abs(v - m['median']) for v in values) / len(values)
        outliers = sum(abs(v - m['median']) > 3.5 * sigma for v in values)
    same(f'{name}: outliers', m['outliers'], outliers)


def check_scores(db, cell, measured):
    """The mean over cases of the mean over passes; reliability is the share of trials ok."""
    s = cell['scores']
    cases = cases_of(db, cell)
    judged = next(n for n in measured.series if n == 'accuracy' or n == 'rubric_score')
    by_case = {}
    for trial, score in enumerate(measured.series[judged]):
        by_case.setdefault(cases[trial], []).append(0 if math.isnan(score) else score)
    means = [math.fsum(v) / len(v) for v in by_case.values()]
    same(f"{cell['label']}: accuracy", s['accuracy']['score'], math.fsum(means) / len(means))
    ok = sum(v == 0 for v in measured.series['trial.status'])
    same(f"{cell['label']}: reliability", s['reliability']['score'], ok / measured.count)
    same(f"{cell['label']}: cases", s['cases'], len(by_case))
    planned, = db.execute("SELECT measured_planned FROM benchmark_executions WHERE id = ?",
                          (cell['id'],)).fetchone()
    all_cases, = db.execute("SELECT b.cases FROM benchmarks b JOIN benchmark_executions e"
                            " ON e.benchmark_id = b.id WHERE e.id = ?", (cell['id'],)).fetchone()
    left = 0 if measured.count >= planned else len(set(json.loads(all_cases)) - set(by_case))
    same(f"{cell['label']}: untried", s['untried'], left)


def check_cell(db, cell):
    measured = Execution(db, cell['id'], 'measured')
    warmup = Execution(db, cell['id'], 'warmup')
    statuses = [STATUSES[int(s)] for s in measured.series.get('trial.status', [])]
    assert cell['statuses'] == statuses, cell['label']
    same('attempted', cell['trials']['attempted'], len(statuses))
    for status in STATUSES: same(status, cell['trials'][status], statuses.count(status))
    for key, series in (('starts_s', 'trial.start_s'), ('segment_of', 'trial.segment')):
        assert len(cell[key]) == measured.count
        for said, stored in zip(cell[key], measured.series.get(series, [])):
            same(key, said, stored, 0)
    for said, stored in zip(cell['warmup']['durations_s'], warmup.series.get('duration_s', [])):
        same('warm-up', said, stored, 0)
    assert len(cell['warmup']['durations_s']) == len(warmup.series.get('duration_s', []))
    given = {n for n in measured.series if not n.startswith('trial.')}
    said = {m['name'] for m in cell['metrics']} - {'memory_growth_mb'}  # view_growth_test.c
    assert given == said, (cell['label'], given ^ said)
    for m in cell['metrics']:
        if m['name'] in given: check_metric(
            cell, m, measured.series[m['name']], cases_of(db, cell), measured.series['trial.status'])
    if cell.get('scores'): check_scores(db, cell, measured)


def flat(map, prefix=''):
    for key, v in map.items():
        if isinstance(v, dict): yield from flat(v, f'{prefix}{key}.')
        else: yield prefix + key, json.dumps(v)


def check_effects(report):
    """Ratios of levels to those of cells that differ in this parameter alone."""
    for e in report['effects']:
        cells = [(dict(flat(c['parameters'])), c['metrics'][0]['level'])
                 for c in report['cells'] if c['experiment'] == e['experiment'] and c['metrics']]
        cells = [c for c in cells if e['param'] in c[0]]
        first = cells[0][0][e['param']]
        rest = lambda c: {k: v for k, v in c[0].items() if k != e['param']}
        logs = []
        for c in cells:
            if c[0][e['param']] not in (e['value'], json.dumps(e['value'])): continue
            logs += [(math.log(c[1] / p[1]), math.log(c[1])) for p in cells
                     if p[0][e['param']] == first and rest(p) == rest(c)]
        same('matched', e['matched'], len(logs))
        same('ratio', e['ratio'], math.exp(sum(r for r, _ in logs) / len(logs)), 1e-9)
        same('median', e['median'], math.exp(sum(m for _, m in logs) / len(logs)), 1e-9)


def check_comparisons(report):
    """Hodges and Lehmann's centre of the logarithms of paired ratios. Pairs of a suite are
    cases, whose passes the engine reduces (tests/judge/agreement_test.c)."""
    cells = {c['index']: c for c in report['cells']}
    for c in report['comparisons']:
        a, b = (cells[c[k]]['metrics'][0]['samples'] for k in ('reference', 'cell'))
        if cells[c['cell']].get('scores'):
            same('pairs', c['pairs'], cells[c['cell']]['scores']['cases'])
            continue
        logs = [math.log(y / x) for x, y in zip(a, b) if x and y]
        same('pairs', c['pairs'], len(logs))
        walsh = [(x + y) / 2 for i, x in enumerate(logs) for y in logs[i:]]
        same('comparison', c['ratio'], math.exp(statistics.median(walsh)), 1e-9)
        assert c['ratio_low'] is None or c['ratio_low'] <= c['ratio'] <= c['ratio_high']


def check_claims(report):
    """How many hold, and ten times the mean of the groups' shares; of a part there is none."""
    holds = [c['outcome'] == 'holds' for c in report['claims']]
    same('claims_holding', report['claims_holding'], sum(holds))
    groups = {}
    for c, held in zip(report['claims'], holds): groups.setdefault(c['group'], []).append(held)
    if report['readiness'] is not None:
        shares = [sum(g) / len(g) for g in groups.values()]
        same('readiness', report['readiness'], 10 * sum(shares) / len(shares), 1e-9)


def known_numbers(node, path=()):
    """Every number of the report is of a kind that is checked here, or named above."""
    mine = {'attempted', *STATUSES, 'starts_s', 'segment_of', 'durations_s', 'samples', 'n',
            'level', 'level_low', 'level_high', 'level_n', 'mean', 'sd', 'cv', 'min', 'max', 'median', 'median_low', 'median_high', 'p5', 'p25',
            'p75', 'p95', 'p99', 'mad', 'outliers', 'score', 'cases', 'untried', 'matched', 'ratio', 'pairs',
            'ratio_low', 'ratio_high', 'cell', 'reference', 'judged', 'total', 'passed',
            'low', 'high', 'confidence', 'p', 'claims_holding', 'readiness'}
    if isinstance(node, dict):
        for key, v in node.items():
            if key not in ELSEWHERE | {'parameters'}: known_numbers(v, path + (key,))
    elif isinstance(node, list):
        for v in node: known_numbers(v, path)
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        if path[-1] not in mine | STORED:
            sys.exit(f"nobody here knows the number {'.'.join(path)}")


def main():
    db = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True)
    report = json.load(open(sys.argv[2]))
    known_numbers(report)
    for cell in report['cells']: check_cell(db, cell)
    check_effects(report)
    check_comparisons(report)
    check_claims(report)
    print(checked, 'numbers')


main()
