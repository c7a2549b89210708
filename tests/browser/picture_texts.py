"""What is asked and answered in the pictures, in both languages and from right to left."""

ANSWER = {
    "en": """A litre of **water** weighs more. Ice floats because it is less dense:

| | Density | One litre |
|:--|--:|--:|
| Water, 4 °C | 1.000 kg/l | 1.000 kg |
| Ice, 0 °C | 0.917 kg/l | 0.917 kg |

The difference in code:

```python
def weight(litres: float, density: float) -> float:
    \"\"\"Kilograms of so many litres.\"\"\"
    return litres * density

print(weight(1, 1.0) - weight(1, 0.917))  # 0.083
```

1. **`weight(litres, density)`** multiplies, nothing more.
2. Water is densest at 4 °C, [which is why lakes freeze from the top](https://example.org/).

> Freeze a full bottle and you will see the other side of it.
""",
    "zh": """一升**水**更重。冰的密度较小，所以会浮在水面：

| | 密度 | 一升的质量 |
|:--|--:|--:|
| 水，4 °C | 1.000 kg/l | 1.000 kg |
| 冰，0 °C | 0.917 kg/l | 0.917 kg |

用代码算一算差多少：

```python
def weight(litres: float, density: float) -> float:
    return litres * density

print(weight(1, 1.0) - weight(1, 0.917))  # 0.083
```

1. **`weight(litres, density)`** 只做乘法。
2. 水在 4 °C 时密度最大，所以湖水从表面开始结冰。

> 把装满水的瓶子放进冷冻室，就能看到另一面。
""",
}
THOUGHT = {
    "en": "The question is about density. Water is about 1 kg per litre, ice about 0.917.\n\n"
    "So for the *same volume* the water is heavier. I should give the numbers in a table"
    " and say why ice floats.",
    "zh": "这是关于密度的问题。水每升约 1 千克，冰约 0.917 千克。\n\n"
    "体积相同时，水更重。我应该用表格给出数字，并说明冰为什么会浮。",
}
QUESTION = {
    "en": "Which weighs more: a litre of ice or a litre of water?",
    "zh": "一升冰和一升水，哪个更重？",
}
CALL = '{"expression": "1 * 1.000 - 1 * 0.917"}'
PAGE = '{"url": "https://example.org/water"}'
# The same in both languages of the page: somebody writes Arabic.
ARABIC_QUESTION = "أيهما أثقل: لتر من الجليد أم لتر من الماء؟"
ARABIC_ANSWER = """**لتر الماء أثقل.** كثافة الجليد أقل، ولذلك يطفو:

- الماء عند 4 °C: `1.000 kg/l`
- الجليد عند 0 °C: `0.917 kg/l`

> املأ زجاجة بالماء وضعها في المجمّد.

| المادة | الكثافة |
|---|---|
| ماء | 1.000 |
| جليد | 0.917 |
"""
