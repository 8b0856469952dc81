import llvmlite.binding as binding
import ctypes, time

binding.initialize_native_target()
binding.initialize_native_asmprinter()
features = binding.get_host_cpu_features().flatten()


def machine(opt=2):
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=features, opt=opt, jit=True
    )


keep = []


def compile_ir(text, name="move", opt=2):
    m = binding.parse_assembly(text)
    tm = machine(opt)
    eng = binding.create_mcjit_compiler(m, tm)
    eng.finalize_object()
    keep.append(eng)
    return eng.get_function_address(name)
