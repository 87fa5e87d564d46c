String log = new File(basedir, 'build.log').text
assert log.contains('|{2026-01-01 12:00...|    eu|        10.0|') : 'The copied main printed no total'
