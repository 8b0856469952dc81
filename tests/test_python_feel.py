"""How the package feels from Python: one call to run, descriptions as data, names as DirectML spells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml import operators
from anydml.core.schema import OPERATORS

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = np.arange(1, 17, dtype=np.float32)
SLICE = dml.Slice1(
    input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 4, 4]),
    input_window_offsets=[0, 0, 0, 1],
    input_window_sizes=[1, 1, 4, 3],
    input_window_strides=[1, 1, -2, 2],
)
MATRIX = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
EXPECTED = [[[[14, 16], [6, 8]]]]


class Names(dict[str, Any]):
    """The names of anydml, operators included, for `eval`."""

    def __missing__(self, name: str) -> Any:
        return getattr(dml, name)


def error_of(ask: Any) -> str:
    with pytest.raises(dml.DmlError) as caught:
        ask()
    return str(caught.value)


# Running


def test_operator__runs_when_called() -> None:
    assert SLICE(NUMBERS).tolist() == EXPECTED == SLICE(input_tensor=NUMBERS).tolist()


def test_run__takes_operators_graphs_and_compiled_ones() -> None:
    compiled = dml.Device().compile(SLICE)
    for what in (SLICE, dml.Graph.of(SLICE), compiled):
        assert dml.run(what, NUMBERS).tolist() == EXPECTED
    assert dml.run(SLICE, NUMBERS, device="reference").tolist() == EXPECTED
    assert dml.run(SLICE, NUMBERS, device=dml.Device("reference")).tolist() == EXPECTED


def test_run__writes_into_a_given_output() -> None:
    result = np.zeros((1, 1, 2, 2), np.float32)
    assert dml.run(SLICE, NUMBERS, result) is None and result.tolist() == EXPECTED


def test_run__returns_several_outputs_by_name() -> None:
    operator = dml.TopK1(input_tensor=dml.TensorDesc("FLOAT32", [5]), axis=0, k=2, axis_direction="DECREASING")
    outputs = operator(np.array([3, 1, 4, 1, 5], np.float32))
    assert outputs.output_value_tensor.tolist() == [5, 4] and outputs.output_index_tensor.tolist() == [4, 2]


def test_run__initializes_owned_inputs() -> None:
    weights = MATRIX.replace(flags="OWNED_BY_DML")
    operator = dml.Gemm(a_tensor=MATRIX, b_tensor=weights)
    a, b = np.array([[1, 2], [3, 4]], np.float32), np.eye(2, dtype=np.float32) * 2
    assert dml.run(operator, a, b).reshape(2, 2).tolist() == (a @ b).tolist()
    assert dml.run(operator, a, 3 * b).reshape(2, 2).tolist() == (a @ (3 * b)).tolist()


def test_run__refuses_what_cannot_run() -> None:
    assert "Slice1(...) with its fields" in error_of(lambda: dml.run(dml.Slice1, NUMBERS))
    assert "found ndarray" in error_of(lambda: dml.run(NUMBERS))  # type: ignore[arg-type]


def test_run_model__gives_the_resources() -> None:
    printed: list[str] = []
    resources = dml.run_model(ROOT / "examples" / "slice1_reversed.json", write=printed.append)
    assert resources["output"].tolist() == EXPECTED and "14, 16, 6, 8" in "".join(printed)
    assert dml.run_model(ROOT / "examples" / "slice1_reversed.json", device="reference")["output"].tolist() == EXPECTED


# Types of data


def test_binding__refuses_numbers_of_another_type() -> None:
    for numbers in (np.arange(16, dtype=np.int8), np.ones(16, bool), np.arange(16), NUMBERS.astype(">f4")):
        assert ".astype(np.float32)" in error_of(lambda numbers=numbers: SLICE(numbers))
    assert ".astype(np.float32)" in error_of(lambda: SLICE(np.arange(16, dtype=np.uint8)))  # too few bytes
    assert SLICE(NUMBERS.view(np.int8).view(np.uint8)).tolist() == EXPECTED  # said to be bytes


@pytest.mark.parametrize(
    "array", [np.zeros((2, 4), np.float32)[:, ::2], np.zeros((2, 2), np.float32)[::-1], np.zeros((2, 2), np.int8)]
)
def test_output__that_cannot_be_written_is_told_how_to_lose_nothing(array: Any) -> None:
    told = error_of(lambda: SLICE(NUMBERS, array))
    assert "array[...] = run(...)" in told and "ascontiguousarray" not in told and ".astype(" not in told
    array[...] = SLICE(NUMBERS)  # the advice, obeyed
    assert array.tolist() == EXPECTED[0][0]


def test_output__is_written_through_its_strides_when_described() -> None:
    wide = np.zeros((1, 1, 2, 4), np.float32)
    part = wide[..., ::2]
    SLICE.replace(output_tensor=dml.TensorDesc.from_array(part))(NUMBERS, part)
    assert wide.tolist() == [[[[14, 0, 16, 0], [6, 0, 8, 0]]]]


# Descriptions as data


@pytest.mark.parametrize(
    "desc",
    [
        dml.TensorDesc("FLOAT32", [2, 3]),
        dml.TensorDesc("FLOAT16", [2, 3], [5, 1], flags="OWNED_BY_DML", total_tensor_size_in_bytes=64),
        dml.TensorDesc("UINT4", [9], guaranteed_base_offset_alignment=32),
        dml.Layout((2, 3), (-3, 1), 3),
        SLICE,
        dml.Gemm(a_tensor=MATRIX, b_tensor=MATRIX, fused_activation=dml.ActivationElu.fused(alpha=0.5)),
        dml.ElementWiseClip(input_tensor=MATRIX, min=float("-inf"), max=6, scale_bias=(2.0, 1.0), output_tensor=MATRIX),
        dml.Graph.of(SLICE),
    ],
    ids=lambda desc: type(desc).__name__,
)
def test_description__survives_json_and_repr(desc: Any) -> None:
    plain = json.loads(desc.to_json())
    assert plain == desc.to_dict() and type(desc).from_json(desc.to_json()) == desc
    if not isinstance(desc, dml.Graph):
        assert eval(repr(desc), {}, Names(float=float)) == desc


def test_operator__from_json_finds_its_class() -> None:
    assert dml.Operator.from_json(SLICE.to_json()) == SLICE
    assert "Slice1.from_dict" in error_of(lambda: dml.Gemm.from_json(SLICE.to_json()))
    assert "SLICE1" in error_of(lambda: dml.Operator.from_json('{"type": "SLICE_1", "desc": {}}'))
    for text in ("{", "[1]", "7", '{"type": "SLICE1"}'):
        error_of(lambda text=text: dml.Operator.from_json(text))


def test_graph__with_constants_survives_json() -> None:
    add = dml.ElementWiseAdd(a_tensor=MATRIX, b_tensor=MATRIX)
    graph = dml.Graph([add, dml.ConstantNode(np.ones(4, np.float32))], [(0, 0, 0)], [(0, 0, 0)], [(1, 0, 0, 1)])
    again = dml.Graph.from_json(graph.to_json())
    assert again == graph and dml.run(again, np.zeros(4, np.float32)).reshape(-1).tolist() == [1, 1, 1, 1]
    error_of(lambda: dml.Graph.from_json('{"nodes": [{"operator": {}, "constant": ""}, {"constant": "?"}]}'))


def test_every_operator__draws_itself() -> None:
    assert "<svg" in SLICE._repr_html_() and "window" in SLICE._repr_html_()
    gemm = dml.Gemm(a_tensor=MATRIX, b_tensor=MATRIX)._repr_html_()
    assert "<svg" in gemm and "GEMM" in gemm and "trans_a" in gemm
    assert "alpha" in dml.ActivationElu.fused(alpha=0.5)._repr_html_()


# Layouts


def test_layout__is_indexed_like_an_array() -> None:
    layout = dml.Layout((4, 5), (7, 1), 3)
    memory = np.arange(64)
    array = np.lib.stride_tricks.as_strided(memory[3:], (4, 5), (7 * 8, 8))
    assert layout[2, 3] == layout((2, 3)) == array[2, 3]
    for part in (np.s_[1:3], np.s_[:, ::-2], np.s_[2, 1:4], np.s_[::-1, 4:0:-1], np.s_[-1:, :]):
        assert (memory[layout[part].offsets()] == array[part]).all()
    for wrong in ((4, 0), (0,), (0, 0, 0), (slice(2, 2), 0), (slice(None), 7)):
        error_of(lambda wrong=wrong: layout[wrong])
    with pytest.raises(TypeError):
        list(layout)  # type: ignore[call-overload]


def test_layout__flows_into_a_description() -> None:
    layout = dml.Layout((2, 3), (5, 1))
    assert dml.TensorDesc("FLOAT32", layout) == dml.TensorDesc("FLOAT32", [2, 3], [5, 1])
    assert "offset 0" in error_of(lambda: dml.TensorDesc("FLOAT32", dml.Layout((2, 3), offset=1)))
    assert "one of them" in error_of(lambda: dml.TensorDesc("FLOAT32", layout, [3, 1]))


def test_broadcast_to__repeats_by_stride_0() -> None:
    row = dml.TensorDesc("FLOAT32", [1, 3])
    assert row.broadcast_to([2, 3]) == dml.TensorDesc("FLOAT32", [2, 3], [0, 1])
    assert row.broadcast_to([4, 2, 3]).is_broadcast
    error_of(lambda: row.broadcast_to([2, 4]))


@pytest.mark.parametrize(
    ("desc", "packed", "padded", "broadcast", "places"),
    [
        (dml.TensorDesc("FLOAT32", [2, 3]), True, False, False, 6),
        (dml.TensorDesc("FLOAT32", [2, 3], [1, 2]), True, False, False, 6),
        (dml.TensorDesc("FLOAT32", [2, 3], [5, 1]), False, True, False, 8),
        (dml.TensorDesc("FLOAT32", [2, 3], [5, 1], total_tensor_size_in_bytes=40), False, True, False, 10),
        (dml.TensorDesc("FLOAT32", [2, 3], total_tensor_size_in_bytes=40), False, True, False, 10),
        (dml.TensorDesc("FLOAT32", [2, 3], [0, 1]), False, False, True, 3),
        (dml.TensorDesc("FLOAT32", [2, 3], [0, 1], total_tensor_size_in_bytes=16), False, True, True, 4),
        (dml.TensorDesc("UINT8", [5]), True, False, False, 5),
        (dml.TensorDesc("UINT8", [5], total_tensor_size_in_bytes=12), False, True, False, 12),
    ],
)
def test_description__says_what_it_is(
    desc: dml.TensorDesc, packed: bool, padded: bool, broadcast: bool, places: int
) -> None:
    assert (desc.is_packed, desc.is_padded, desc.is_broadcast) == (packed, padded, broadcast)
    assert desc.physical_element_count == places


# DirectML's spellings


def test_c_names__are_the_values_of_python() -> None:
    assert dml.DML_TENSOR_DATA_TYPE_FLOAT32 is dml.DataType.FLOAT32
    assert dml.DML_FEATURE_LEVEL_6_4 is dml.FeatureLevel.LEVEL_6_4
    assert dml.DML_TENSOR_FLAG_OWNED_BY_DML is dml.TensorFlags.OWNED_BY_DML
    assert dml.DML_MATRIX_TRANSFORM_TRANSPOSE is dml.MatrixTransform.TRANSPOSE
    assert dml.DML_SLICE1_OPERATOR_DESC is dml.Slice1 is dml.DML_OPERATOR_SLICE1
    assert dml.DML_BUFFER_TENSOR_DESC is dml.TensorDesc
    assert dml.DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 16


def test_c_names__are_those_of_the_header() -> None:
    facts = json.loads((ROOT / "tests" / "spec" / "enumerations.json").read_text("utf-8"))
    text = json.dumps(facts)
    for name in ("DML_REDUCE_FUNCTION_SUM_SQUARE", "DML_PADDING_MODE_WRAP"):
        assert getattr(dml, name).name in text
    for name, operator in OPERATORS.items():
        if operator.__module__.startswith("anydml.operators."):
            assert getattr(dml, f"DML_{name}_OPERATOR_DESC") is operator
    assert not hasattr(dml, "DML_NO_SUCH_OPERATOR_DESC") and not hasattr(dml, "DML_NOTHING")


def test_c_functions__work() -> None:
    assert dml.DMLCalcBufferTensorSize(dml.DML_TENSOR_DATA_TYPE_FLOAT32, 2, [2, 3], [5, 1]) == 32
    assert dml.DMLCalcBufferTensorSize("FLOAT32", 2, [2, 3], None) == 24
    assert dml.DMLCalcBufferTensorSize("FLOAT32", [2, 3], [5, 1]) == 32
    assert "2 as Sizes has" in error_of(lambda: dml.DMLCalcBufferTensorSize("FLOAT32", 3, [2, 3]))
    assert dml.DMLCreateDevice().feature_level.text == "1.0"
    assert dml.DMLCreateDevice1("5.0").feature_level.text == "6.4"
    desc = dml.TensorDesc("FLOAT32", [2])
    assert dml.DML_TENSOR_DESC("DML_TENSOR_TYPE_BUFFER", desc) is desc


def test_c_structures__take_c_names() -> None:
    made = dml.DML_SLICE1_OPERATOR_DESC(
        InputTensor=dml.DML_BUFFER_TENSOR_DESC(DataType=dml.DML_TENSOR_DATA_TYPE_FLOAT32, Sizes=[1, 1, 4, 4]),
        DimensionCount=4,
        InputWindowOffsets=[0, 0, 0, 1],
        InputWindowSizes=[1, 1, 4, 3],
        InputWindowStrides=[1, 1, -2, 2],
    )
    assert made == SLICE


def test_methods_of_c__are_told_by_their_names_here() -> None:
    with pytest.raises(AttributeError, match="try compile"):
        dml.Device().CompileOperator  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="no 'nothing'"):
        dml.Device().nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(TypeError, match=r"try Gemm\(a_tensor=\.\.\., b_tensor=\.\.\.\)"):
        dml.Gemm(MATRIX, MATRIX)  # type: ignore[call-arg, misc]


# Defaults


def test_defaults__are_those_of_directmls_helpers() -> None:
    gemm = dml.Gemm(a_tensor=MATRIX, b_tensor=MATRIX)
    assert (gemm.trans_a.name, gemm.trans_b.name, gemm.alpha, gemm.beta) == ("NONE", "NONE", 1.0, 1.0)
    image = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])
    convolution = dml.Convolution(input_tensor=image, filter_tensor=MATRIX)
    assert (convolution.mode.name, convolution.direction.name) == ("CROSS_CORRELATION", "FORWARD")
    assert convolution.strides == convolution.dilations == (1, 1) and convolution.group_count == 1
    assert convolution.start_padding == convolution.end_padding == convolution.output_padding == (0, 0)


def test_replace__infers_outputs_again() -> None:
    source = dml.TensorDesc("FLOAT32", [2, 3, 4, 5])
    reduce = dml.Reduce(input_tensor=source, function="SUM", axes=[3])
    assert reduce.replace(axes=[1]).output_tensor.sizes == (2, 1, 4, 5)
    given = reduce.replace(output_tensor=dml.TensorDesc("FLOAT32", [2, 3, 4, 1], strides=[12, 4, 1, 1]))
    assert given.replace(function="MAX").output_tensor == given.output_tensor
    assert "InputWindowStrides[2]" in error_of(lambda: SLICE.replace(input_window_strides=[1, 1, 0, 2]))


# Explaining


def test_explain__is_a_value() -> None:
    told = dml.explain(SLICE, values=NUMBERS, index=(0, 0, 1, 0))
    assert "= input[0, 0, 1, 1] = 6" in " ".join(str(told).split()) and "<svg" in told._repr_html_()
    assert told.to_dict()["indices"][0]["label"] == "6" and "<html" in told.to_html()
    layout = dml.explain(dml.Layout((2, 2, 3)), index=[(1, 0, 1), (0, 0, 0)])
    assert "1·6 + 0·3 + 1·1 = 7" in layout.to_text(60)
    assert "from_array" in error_of(lambda: dml.explain(NUMBERS))  # type: ignore[arg-type]
    assert "input_tensor" in error_of(lambda: dml.explain(dml.Gemm(a_tensor=MATRIX, b_tensor=MATRIX)))


def test_explain__is_saved_by_the_ending(tmp_path: Path) -> None:
    told = dml.explain(dml.Layout((2, 3)))
    for ending in (".svg", ".html", ".json", ".txt"):
        assert told.save(tmp_path / f"picture{ending}").read_text("utf-8")
    assert "picture.svg" in error_of(lambda: told.save(tmp_path / "picture.png"))


def test_operators__are_all_public() -> None:
    assert set(operators.__all__) >= {"Slice1", "Gemm", "Convolution"} and len(operators.__all__) >= 177
