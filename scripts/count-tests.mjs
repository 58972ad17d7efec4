// Prints `N passed, N failed` for vitest's JSON report; a suite that did not even load counts as a failure.
import { readFileSync } from 'node:fs';

/** @returns {{ passed: number, failed: number }} */
function count(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const broken = report.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    ).length;
    return { passed: report.numPassedTests, failed: report.numFailedTests + broken };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const { passed, failed } = count(process.argv[2]);
console.log(`${passed} passed, ${failed} failed`);
