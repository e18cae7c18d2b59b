package chat

// realTemplates use Jinja as the public templates of these families do, without their texts about tools.
var realTemplates = map[string]string{
	"chatml": "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + " +
		"'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
	"qwen2.5": `{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- for tool in tools %}
        {{- "\n" }}
        {{- tool | tojson }}
    {%- endfor %}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}
    {%- else %}
        {{- '<|im_start|>system\nHelp.<|im_end|>\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- for tool_call in message.tool_calls %}
            {{- tool_call.arguments | tojson }}
        {%- endfor %}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\n<r>\n' }}
        {{- message.content }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
`,
	"qwen3": `{%- set ns = namespace(multi_step=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step and message.role == "user" and message.content is string and not(message.content.startswith('<r>') and message.content.endswith('</r>')) %}
        {%- set ns.multi_step = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if message.role == "assistant" %}
        {%- set reasoning = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and (loop.last or reasoning) %}
            {{- '<|im_start|>' + message.role + '\n<think>\n' + reasoning.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\n' + content + '<|im_end|>' + '\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}`,
	"llama 3": "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = " +
		"'<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + " +
		"'<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% " +
		"endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
	"mistral": "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 " +
		"== 0) %}{{ raise_exception('roles must alternate') }}{% endif %}{% if message['role'] == 'user' %}{{ " +
		"'[INST] ' + message['content'] + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ " +
		"message['content'] + eos_token}}{% else %}{{ raise_exception('unknown role') }}{% endif %}{% endfor %}",
	"mistral v0.3": `{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or message.role == "tool_results" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\n\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- elif message["role"] == "tool" %}
        {{- '[R] {"content": ' + message.content|string + "}" }}
    {%- endif %}
{%- endfor %}
`,
	"gemma": "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not " +
		"supported') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % " +
		"2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}{% if (message['role'] == 'assistant') " +
		"%}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role " +
		"+ '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt " +
		"%}{{'<start_of_turn>model\n'}}{% endif %}",
	"phi 3": "{% for message in messages %}{% if message['role'] == 'system' and message['content'] " +
		"%}{{'<|system|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'user' %}{{'<|user|>\n' " +
		"+ message['content'] + '<|end|>\n'}}{% elif message['role'] == 'assistant' %}{{'<|assistant|>\n' + " +
		"message['content'] + '<|end|>\n'}}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ " +
		"'<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}",
	"deepseek": "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}{% " +
		"set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system_prompt='') %}{%- for " +
		"message in messages %}{%- if message['role'] == 'system' %}{% set ns.system_prompt = message['content'] " +
		"%}{%- endif %}{%- endfor %}{{bos_token}}{{ns.system_prompt}}{%- for message in messages %}{%- if " +
		"message['role'] == 'user' %}{%- set ns.is_tool = false -%}{{'<｜User｜>' + message['content']}}{%- endif " +
		"%}{%- if message['role'] == 'assistant' and message['content'] is not none %}{%- if ns.is_tool " +
		"%}{{'<｜tool▁outputs▁end｜>' + message['content'] + '<｜end▁of▁sentence｜>'}}{%- set ns.is_tool = false -%}{%- " +
		"else %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = " +
		"content.split('</think>')[-1] %}{% endif %}{{'<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>'}}{%- endif " +
		"%}{%- endif %}{%- if message['role'] == 'tool' %}{%- set ns.is_tool = true -%}{%- if ns.is_output_first " +
		"%}{{'<｜tool▁outputs▁begin｜>' + message['content']}}{%- set ns.is_output_first = false %}{%- else %}{{'\n' " +
		"+ message['content']}}{%- endif %}{%- endif %}{%- endfor -%}{% if ns.is_tool " +
		"%}{{'<｜tool▁outputs▁end｜>'}}{% endif %}{% if add_generation_prompt and not ns.is_tool " +
		"%}{{'<｜Assistant｜>'}}{% endif %}",
	"macros": `{%- macro turn(role, text='', trimmed=true) -%}
<|{{ role }}|>{{ text|trim if trimmed else text }}
{%- endmacro -%}
{%- macro all(list) %}{% for m in list %}{{ turn(m.role, m.content, trimmed=loop.last) }}{% endfor %}{% endmacro %}
{{- all(messages) }}
{%- set texts = [] %}
{%- for m in messages if m.role == 'user' %}
    {%- do texts.append(m.content|upper) %}
{%- endfor %}
{{- texts|join(', ') }}{{ {'a': 1, 'n': messages|length}|tojson }}{{ texts|length * 2 }}{{ '-' * 3 }}
{%- set block %}[{{ texts|length }}]{% endset %}{{ block }}
{%- for i in range(messages|length) %}{{ i }}{{ messages[i]['role'][0] }}{% else %}none{% endfor %}
{%- for k, v in {'x': 'y'}.items() %}{{ k }}={{ v }}{% endfor %}
{%- for m in messages %}{% if loop.index > 3 %}{% break %}{% endif %}{{ loop.revindex }}{{ loop.cycle('a', 'b') }}{% endfor %}`,
}
