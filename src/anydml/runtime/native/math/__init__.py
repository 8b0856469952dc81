"""Vector math: functions of floats as LLVM instructions, each with its greatest error stated."""
